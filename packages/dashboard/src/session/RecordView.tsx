import { jsonFrom } from '@loopwatch/contract';
import type { SessionRecord } from '@loopwatch/contract/api';
import { formatExact, plural } from '../lib/format.ts';
import { RecordLink } from '../page/Elsewhere.tsx';
import { recordName } from '../page/record-links.ts';
import { CopyButton } from '../ui/controls/CopyButton.tsx';
import { JsonTree } from '../ui/layout/JsonTree.tsx';
import styles from './RecordDialog.module.css';

/** Where a record lies, what it carries along, and its value: as a tree where it is JSON, and as it came. */
export function RecordView({ record }: { readonly record: SessionRecord }) {
  const { key, headers, value, bytes, timestamp } = record;
  const parsed = value === null ? undefined : jsonFrom(value);
  return (
    <>
      <dl className={styles['facts']}>
        <div>
          <dt>lies at</dt>
          <dd>
            {recordName(record)}
            <CopyButton bare what="topic, partition and offset" text={recordName(record)} />
            <RecordLink place={record} />
          </dd>
        </div>
        <div>
          <dt>written</dt>
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
            <p className={styles['noJson']}>This is not JSON; it is shown as it came.</p>
            <pre className={styles['text']} tabIndex={0}>
              {value}
            </pre>
            <CopyButton what="the value" text={value} />
          </>
        ) : (
          <JsonTree value={parsed} source={value} />
        ))}
    </>
  );
}
