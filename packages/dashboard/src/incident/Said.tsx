import type { IncidentDetail, SessionEvent } from '@loopwatch/contract/api';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { formatNumber, formatTime, plural } from '../lib/format.ts';
import { visibleText } from '../lib/visible-text.ts';
import { useVeil } from '../session/use-veil.ts';
import { VeilNote } from '../session/VeilNote.tsx';
import { Button } from '../ui/controls/Button.tsx';
import { Card } from '../ui/layout/Card.tsx';
import { diff } from './evidence/diff.ts';
import styles from './Said.module.css';
import { positionOf, saidMeanwhile } from './said-around.ts';
import { beginningOf, loopSpan } from './session-marks.ts';

/** Shown until all are asked for: the first, and the latest. */
const MAX_SHOWN = 6;

/** What the agent said between the calls of the loop; what is said in each is compared with what was said before. */
export function Said({
  incident,
  items,
}: {
  readonly incident: IncidentDetail;
  readonly items: readonly SessionEvent[];
}) {
  const veil = useVeil();
  const [whole, setWhole] = useState(false);
  const span = loopSpan(incident);
  const said = saidMeanwhile(items, span);
  // The card of the session says that the log no longer holds the events.
  if (items.length === 0) return null;
  if (said.length === 0) {
    // Where the beginning was not read, it is not known that nothing was said.
    if ((items[0]?.eventIndex ?? Infinity) > span.from) return null;
    return (
      <Card title="What the agent said meanwhile">
        <p className={styles['none']}>The agent said nothing during the loop.</p>
      </Card>
    );
  }
  const cut = said.length > MAX_SHOWN;
  const shown = whole || !cut ? said : [...said.slice(0, 2), ...said.slice(2 - MAX_SHOWN)];
  const same = said.length > 1 && said.every(({ text }) => text === said[0]?.text);
  return (
    <Card
      title="What the agent said meanwhile"
      note={
        <>
          {plural(said.length, 'turn')}
          {same ? ', always the same' : cut && !whole ? ', the first and the latest' : ''};{' '}
          <Link
            className={styles['more']}
            to="/sessions/$id"
            params={{ id: incident.sessionId }}
            search={{ at: String(beginningOf(incident).eventIndex) }}
          >
            read from the beginning of the loop
          </Link>
        </>
      }
    >
      <VeilNote veil={veil} />
      <ol className={styles['said']} data-detector={incident.detector}>
        {shown.map((saying, index) => {
          const { text, eventIndex, time, thought } = saying;
          const position = positionOf(saying, items, span);
          const before = shown[index - 1]?.text;
          const pieces = before === undefined ? [{ text, same: true }] : diff(before, text).after;
          return (
            <li key={eventIndex} data-thought={thought || undefined}>
              <Link
                to="/sessions/$id"
                params={{ id: incident.sessionId }}
                search={{ at: String(eventIndex) }}
              >
                #{eventIndex}
              </Link>
              <small>
                {formatTime(time)}
                {position !== undefined && `, ${position}`}
              </small>
              <p>
                {veil.veiled
                  ? plural(text.length, 'character')
                  : pieces.map((piece, at) =>
                      piece.same ? (
                        <span key={at}>{visibleText(piece.text)}</span>
                      ) : (
                        <mark key={at}>{visibleText(piece.text)}</mark>
                      ),
                    )}
              </p>
            </li>
          );
        })}
      </ol>
      {cut && (
        <Button small quiet onClick={() => setWhole(!whole)}>
          {whole ? 'Show fewer' : `Show all ${formatNumber(said.length)}`}
        </Button>
      )}
    </Card>
  );
}
