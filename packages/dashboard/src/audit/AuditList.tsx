import type { AuditEntry } from '@loopwatch/contract/api';
import { Link } from '@tanstack/react-router';
import type { AuditView } from '../api/audit.ts';
import { formatExact, plural } from '../lib/format.ts';
import { visibleText } from '../lib/visible-text.ts';
import { Card } from '../ui/layout/Card.tsx';
import { Ago } from '../ui/layout/Time.tsx';
import { actionNames } from './search.ts';

interface Props {
  readonly entries: readonly AuditEntry[];
  /** The number of entries, including those that are not loaded. */
  readonly total: string;
  /** Adds to the filter. */
  readonly onFilter: (filter: AuditView['filter']) => void;
}

/** Entries with when, who, what and the target; who and target filter the list. */
export function AuditList({ entries, total, onFilter }: Props) {
  return (
    <Card title="Changes" note={`${total}, newest first`} flush>
      <ul className="mt-2 grid [&_button]:text-left [&_button]:wrap-anywhere [&_button]:hover:underline">
        {entries.map((entry) => (
          <Entry key={entry.id} entry={entry} onFilter={onFilter} />
        ))}
      </ul>
    </Card>
  );
}

function Entry({ entry, onFilter }: { readonly entry: AuditEntry } & Pick<Props, 'onFilter'>) {
  const { at, actor, role, address, action, subject } = entry;
  return (
    <li className="px-4 py-2.5 grid grid-cols-[110px_minmax(0,200px)_minmax(0,1fr)] gap-x-4 gap-y-0.5 border-t @max-[700px]/page:grid-cols-[minmax(0,1fr)_auto]">
      <span className="text-sm/6 text-ink3 @max-[700px]/page:order-2">
        <Ago time={at} />
      </span>
      <span className="min-w-0">
        <button
          className="min-h-6 font-550"
          type="button"
          title={`Only what ${actor} changed`}
          onClick={() => onFilter({ actor: [actor] })}
        >
          {visibleText(actor)}
        </button>
        <small className="block text-xs text-ink3 wrap-anywhere">
          {role}
          {address !== null && `, ${address}`}
        </small>
      </span>
      <div className="min-w-0 @max-[700px]/page:order-3 @max-[700px]/page:col-span-full">
        {actionNames[action]}{' '}
        <button
          className="min-h-6 text-sm/[1.6] font-mono font-450"
          type="button"
          title={`Only changes of ${subject}`}
          onClick={() => onFilter({ subject: [subject] })}
        >
          {visibleText(subject)}
        </button>{' '}
        <Target entry={entry} />
        <Detail entry={entry} />
      </div>
    </li>
  );
}

/** A link to what was changed, if it has a page. */
function Target({ entry: { action, subject } }: { readonly entry: AuditEntry }) {
  const className = 'text-sm text-accent hover:underline';
  if (action === 'settings.changed')
    return (
      <Link className={className} to="/settings" search={subject === 'server' ? {} : { scope: subject }}>
        Open
      </Link>
    );
  if (action === 'session.stopped' || action === 'session.resumed')
    return (
      <Link className={className} to="/sessions/$id" params={{ id: subject.replace(/^session:/, '') }}>
        Open
      </Link>
    );
  return null;
}

function Detail({ entry: { action, detail } }: { readonly entry: AuditEntry }) {
  const { set } = detail;
  if (action === 'settings.changed' && typeof set === 'object' && set !== null) {
    const values = Object.entries(set);
    if (values.length === 0) return <p className="text-sm text-ink2">All its overrides were removed</p>;
    return (
      <details className="text-sm text-ink2">
        <summary className="cursor-pointer leading-6">
          {plural(values.length, 'override')} after this change
        </summary>
        <ul className="mt-1 grid gap-0.5 font-mono text-sm/[1.6] font-450 wrap-anywhere">
          {values.map(([path, value]) => (
            <li key={path}>
              {path}: {visibleText(JSON.stringify(value))}
            </li>
          ))}
        </ul>
      </details>
    );
  }
  const facts = Object.entries(detail).filter(([name, value]) => name !== 'id' && value !== null);
  if (facts.length === 0) return null;
  return <p className="text-sm text-ink2 wrap-anywhere">{facts.map(factText).join(' · ')}</p>;
}

function factText([name, value]: readonly [string, unknown]): string {
  if (name === 'expiresAt' && typeof value === 'number') return `expires ${formatExact(value)}`;
  return `${name} ${visibleText(typeof value === 'string' ? value : JSON.stringify(value))}`;
}
