import { visibleText } from '../lib/visible-text.ts';
import { RecordLink } from '../page/ExternalLinks.tsx';
import { type RecordPosition as Position, recordName } from '../page/record-links.ts';
import { CopyButton } from '../ui/controls/CopyButton.tsx';
import styles from './RecordPosition.module.css';

/** Topic, partition and offset of a record, to copy, with a link to the Kafka UI if one is configured. */
export function RecordPosition({ place }: { readonly place: Position }) {
  return (
    <span className={styles['position']}>
      <CopyId text={recordName(place)} what="topic, partition and offset" />
      <RecordLink place={place} />
    </span>
  );
}

/** An id in one line, cut off if too long, with a button to copy it. */
export function CopyId({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <span className={styles['id']}>
      <code title={text}>{visibleText(text)}</code>
      <CopyButton bare what={what} text={text} />
    </span>
  );
}
