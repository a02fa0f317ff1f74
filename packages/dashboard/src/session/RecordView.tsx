import { jsonFrom } from '@loopwatch/contract';
import type { SessionRecord } from '@loopwatch/contract/api';
import { formatExact, plural } from '../lib/format.ts';
import { RecordLink } from '../page/ExternalLinks.tsx';
import { recordName } from '../page/record-links.ts';
import { CopyButton } from '../ui/controls/CopyButton.tsx';
import { JsonTree } from '../ui/layout/JsonTree.tsx';
import styles from './RecordDialog.module.css';

/** A record's position, key and headers, and its value as a tree if it is JSON, else as text. */
export function RecordView({ record }: { readonly record: SessionRecord }) {
  const { key, headers, value, bytes, timestamp } = record;
  const parsed = value === null ? undefined : jsonFrom(value);
  return (
    <>
      <dl className={styles['facts']}>
        <div>
          <dt>record</dt>
          <dd>
            {recordName(record)}
            <CopyButton bare what="topic, partition and offset" text={recordName(record)} />
            <RecordLink place={record} />
          </dd>
        </div>
        <div>
          <dt>timestamp</dt>
          <dd>{formatExact(timestamp)}</dd>
        </div>
        <div>
          <dt>key</dt>
          <dd>{key ?? 'none'}</dd>
        </div>
        {Object.entries(headers).map(([name, text]) => (
          <div key={name}>
            <dt>header {name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
        <div>
          <dt>value</dt>
          <dd>{value === null ? 'none' : plural(bytes, 'byte')}</dd>
        </div>
      </dl>
      {value !== null &&
        (parsed === undefined ? (
          <>
            <p className={styles['noJson']}>Not JSON, shown as received.</p>
            <pre className={styles['text']} tabIndex={0}>
              {value}
            </pre>
            <CopyButton what="value" text={value} />
          </>
        ) : (
          <JsonTree value={parsed} source={value} />
        ))}
    </>
  );
}
