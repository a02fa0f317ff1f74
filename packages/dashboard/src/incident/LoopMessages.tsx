import type { IncidentDetail, SessionEvent } from '@loopwatch/contract/api';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { formatNumber, formatTime, nounOf, plural } from '../lib/format.ts';
import { visibleText } from '../lib/visible-text.ts';
import { eventSearch } from '../session/loop-link.ts';
import { RedactionNote } from '../session/RedactionNote.tsx';
import { useRedaction } from '../session/use-redaction.ts';
import { Button } from '../ui/controls/Button.tsx';
import { Card } from '../ui/layout/Card.tsx';
import { messagesBetween, positionOf } from './agent-messages.ts';
import { diff } from './evidence/diff.ts';
import { loopSpan, loopStart } from './session-marks.ts';

/** Shown until expanded: the first and the latest. */
const MAX_SHOWN = 6;

/** Messages between the calls of the loop, each compared with the one before. */
export function LoopMessages({
  incident,
  items,
}: {
  readonly incident: IncidentDetail;
  readonly items: readonly SessionEvent[];
}) {
  const redaction = useRedaction();
  const [whole, setWhole] = useState(false);
  const title = `Agent messages during the ${nounOf(incident)}`;
  const span = loopSpan(incident);
  const messages = messagesBetween(items, span);
  // The timeline card already says that the log no longer has the events.
  if (items.length === 0) return null;
  if (messages.length === 0) {
    // Without the start of the loop it is unknown whether there were messages.
    if ((items[0]?.eventIndex ?? Infinity) > span.from) return null;
    return (
      <Card title={title}>
        <p className="text-sm text-ink2">None.</p>
      </Card>
    );
  }
  const cut = messages.length > MAX_SHOWN;
  const shown = whole || !cut ? messages : [...messages.slice(0, 2), ...messages.slice(2 - MAX_SHOWN)];
  const same = messages.length > 1 && messages.every(({ text }) => text === messages[0]?.text);
  return (
    <Card
      title={title}
      note={
        <>
          {plural(messages.length, 'message')}
          {same ? ', all identical' : cut && !whole ? ', first and latest' : ''};{' '}
          <Link
            className="text-accent"
            to="/sessions/$id"
            params={{ id: incident.sessionId }}
            search={eventSearch(incident, loopStart(incident).eventIndex)}
          >
            read in the transcript
          </Link>
        </>
      }
    >
      <RedactionNote redaction={redaction} />
      <ol
        className="grid gap-2 text-sm [&_li[data-thought]_p]:italic [&_li[data-thought]_p]:text-ink2"
        data-detector={incident.detector}
      >
        {shown.map((message, index) => {
          const { text, eventIndex, time, thought } = message;
          const position = positionOf(message, items, span);
          const before = shown[index - 1]?.text;
          const pieces = before === undefined ? [{ text, same: true }] : diff(before, text).after;
          return (
            <li
              className="grid grid-cols-[56px_minmax(0,1fr)] gap-2"
              key={eventIndex}
              data-thought={thought || undefined}
            >
              <Link
                className="row-span-2 min-h-6 text-accent"
                to="/sessions/$id"
                params={{ id: incident.sessionId }}
                search={eventSearch(incident, eventIndex)}
              >
                #{eventIndex}
              </Link>
              <small className="text-ink3 text-xs">
                {formatTime(time)}
                {position !== undefined && `, ${position}`}
              </small>
              <p className="col-2 wrap-anywhere whitespace-pre-wrap">
                {redaction.isRedacted
                  ? plural(text.length, 'character')
                  : pieces.map((piece, at) =>
                      piece.same ? (
                        <span key={at}>{visibleText(piece.text)}</span>
                      ) : (
                        <mark className="text-inherit rounded-[3px] bg-tint-16" key={at}>
                          {visibleText(piece.text)}
                        </mark>
                      ),
                    )}
              </p>
            </li>
          );
        })}
      </ol>
      {cut && (
        <Button small quiet onClick={() => setWhole(!whole)}>
          {whole ? 'Show fewer' : `Show all ${formatNumber(messages.length)}`}
        </Button>
      )}
    </Card>
  );
}
