import type { IncidentDetail, SessionEvent } from '@loopwatch/contract/api';
import { Link } from '@tanstack/react-router';
import { plural } from '../lib/format.ts';
import { visibleText } from '../lib/visible-text.ts';
import { useVeil } from '../session/use-veil.ts';
import { VeilNote } from '../session/VeilNote.tsx';
import { Card } from '../ui/layout/Card.tsx';
import { diff } from './evidence/diff.ts';
import styles from './Said.module.css';
import { saidMeanwhile } from './said-around.ts';
import { loopSpan } from './session-marks.ts';

/** What is shown of it: the first, and the latest. */
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
  const said = saidMeanwhile(items, loopSpan(incident));
  if (said.length === 0) return null;
  const shown = said.length <= MAX_SHOWN ? said : [...said.slice(0, 2), ...said.slice(2 - MAX_SHOWN)];
  const same = said.length > 1 && said.every(({ text }) => text === said[0]?.text);
  return (
    <Card
      title="What the agent said meanwhile"
      note={`${plural(said.length, 'turn')}${same ? ', always the same' : said.length > shown.length ? ', the first and the latest' : ''}`}
    >
      <VeilNote veil={veil} />
      <ol className={styles['said']} data-detector={incident.detector}>
        {shown.map(({ text, eventIndex, thought }, index) => {
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
    </Card>
  );
}
