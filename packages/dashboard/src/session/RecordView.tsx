import { jsonFrom } from '@loopwatch/contract';
import type { SessionRecord } from '@loopwatch/contract/api';
import { formatExact, plural } from '../lib/format.ts';
import { RecordLink } from '../page/ExternalLinks.tsx';
import { recordName } from '../page/record-links.ts';
import { CopyButton } from '../ui/controls/CopyButton.tsx';
import { JsonTree } from '../ui/layout/JsonTree.tsx';

/** A record's position, key and headers, and its value as a tree if it is JSON, else as text. */
export function RecordView({ record }: { readonly record: SessionRecord }) {
  const { key, headers, value, bytes, timestamp } = record;
  const parsed = value === null ? undefined : jsonFrom(value);
  return (
    <>
      <dl className="mb-3 grid gap-1 text-sm [&>div]:grid [&>div]:grid-cols-[min(120px,24%)_minmax(0,1fr)] [&>div]:gap-3 [&_dt]:text-ink3 [&_dt]:wrap-anywhere [&_dd]:text-sm/[1.5] [&_dd]:flex [&_dd]:flex-wrap [&_dd]:items-center [&_dd]:gap-x-2 [&_dd]:font-mono [&_dd]:font-450 [&_dd]:wrap-anywhere">
        <div>
          <dt>record</dt>
          <dd>
            {recordName(record)}
            <CopyButton bare what="topic, partition and offset" text={recordName(record)} />
            <RecordLink position={record} />
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
            <p className="mb-2 text-sm text-hot">Not JSON, shown as received.</p>
            <pre
              className="p-3 mb-3 border text-sm/[1.6] max-h-[50vh] overflow-auto rounded-md bg-bg font-mono font-450 whitespace-pre-wrap wrap-anywhere"
              tabIndex={0}
            >
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
