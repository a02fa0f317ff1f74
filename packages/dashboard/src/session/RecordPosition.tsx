import { visibleText } from '../lib/visible-text.ts';
import { RecordLink } from '../page/ExternalLinks.tsx';
import { type RecordPosition as Position, recordName } from '../page/record-links.ts';
import { CopyButton } from '../ui/controls/CopyButton.tsx';

/** Topic, partition and offset of a record, to copy, with a link to the Kafka UI if one is configured. */
export function RecordPosition({ position }: { readonly position: Position }) {
  return (
    <span className="inline-flex flex-wrap justify-end gap-x-2 max-w-full">
      <CopyId text={recordName(position)} what="topic, partition and offset" />
      <RecordLink position={position} />
    </span>
  );
}

/** An id in one line, cut off if too long, with a button to copy it. */
export function CopyId({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <span className="inline-flex items-center max-w-full">
      <code className="truncate text-sm/[1.5] min-w-0 font-mono font-450" title={text}>
        {visibleText(text)}
      </code>
      <CopyButton bare what={what} text={text} />
    </span>
  );
}
