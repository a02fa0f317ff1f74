import type { SessionEvent } from '@loopwatch/contract/api';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { recordQuery } from '../api/sessions.ts';
import { plural } from '../lib/format.ts';
import { Button } from '../ui/controls/Button.tsx';
import { Dialog } from '../ui/controls/Dialog.tsx';
import { Async } from '../ui/feedback/Async.tsx';
import { Skeleton } from '../ui/feedback/Skeleton.tsx';
import { Icon } from '../ui/lib/icons.tsx';
import { RecordView } from './RecordView.tsx';

interface Props {
  readonly sessionId: string;
  /** The events of one transcript block. */
  readonly events: readonly SessionEvent[];
  /** Whether only the length of texts is shown. */
  readonly isRedacted: boolean;
  readonly onClose: () => void;
}

/** The log records of a transcript block, one at a time. */
export default function RecordDialog({ sessionId, events, isRedacted, onClose }: Props) {
  const [at, setAt] = useState(0);
  const [shown, setShown] = useState(!isRedacted);
  const event = events[at];
  const query = useQuery({ ...recordQuery(sessionId, event?.offset ?? ''), enabled: event !== undefined });
  const several = events.length > 1 && (
    <span className="inline-flex items-center gap-2 text-sm text-ink2 [&_button:last-child_svg]:rotate-180">
      <Button small icon disabled={at === 0} onClick={() => setAt(at - 1)} aria-label="Previous record">
        <Icon name="back" size={13} />
      </Button>
      <span aria-live="polite">
        {at + 1} of {events.length}
      </span>
      <Button
        small
        icon
        disabled={at === events.length - 1}
        onClick={() => setAt(at + 1)}
        aria-label="Next record"
      >
        <Icon name="back" size={13} />
      </Button>
    </span>
  );
  return (
    <Dialog
      wide
      title={event?.eventIndex == null ? 'Record' : `Record of event #${String(event.eventIndex)}`}
      note={several}
      onClose={onClose}
    >
      <Async
        query={query}
        what="the record"
        skeleton={<Skeleton height={280} what="the record from the log" />}
      >
        {(record) =>
          shown ? (
            <RecordView record={record} />
          ) : (
            <p className="py-6 text-ink2">
              {plural(record.bytes, 'byte')} hidden because privacy.store_text is off.{' '}
              <Button small onClick={() => setShown(true)}>
                Show
              </Button>
            </p>
          )
        }
      </Async>
    </Dialog>
  );
}
