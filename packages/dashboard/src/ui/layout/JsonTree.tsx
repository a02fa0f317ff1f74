import { useId, useMemo, useState } from 'react';
import { visibleText } from '../../lib/visible-text.ts';
import { CopyButton } from '../controls/CopyButton.tsx';
import { Segments } from './Segments.tsx';

interface Props {
  readonly value: unknown;
  /** Number of levels expanded at first. */
  readonly open?: number;
  /** Original text of the value, for the raw view. */
  readonly source?: string;
}

/** JSON as a searchable tree or raw. Long texts are clamped until expanded. */
export function JsonTree({ value, open = 2, source }: Props) {
  const [mode, setMode] = useState<'tree' | 'raw'>('tree');
  const [search, setSearch] = useState('');
  const id = useId();
  const raw = useMemo(() => source ?? JSON.stringify(value, null, 2), [source, value]);
  const wanted = search.trim().toLowerCase();
  return (
    <div className="border text-sm/[1.65] rounded-md bg-panel font-mono font-450 min-w-0 [&_mark]:bg-warm-soft [&_mark]:text-inherit [&_mark]:rounded-[2px] [&_button]:[font:inherit]">
      <div className="px-2 py-1.25 flex items-center gap-2 border-b font-sans">
        <Segments
          label="View"
          value={mode}
          options={[
            { value: 'tree', text: 'Tree' },
            { value: 'raw', text: 'Raw' },
          ]}
          onChange={setMode}
        />
        {mode === 'tree' && (
          <input
            id={id}
            type="search"
            className="field border-line w-35 h-6.5 rounded-sm"
            aria-label="Search JSON"
            placeholder="Search"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        )}
        <span className="flex-1" />
        <CopyButton bare what="JSON" text={raw} />
      </div>
      {mode === 'raw' ? (
        <pre
          className="px-3 py-2 max-h-120 overflow-auto [font:inherit] whitespace-pre-wrap wrap-anywhere"
          tabIndex={0}
        >
          {raw}
        </pre>
      ) : (
        <div
          className="px-3 py-2 max-h-120 overflow-auto [&_button]:ml-2 [&_button]:text-accent [&_button]:indent-0"
          key={wanted}
        >
          <Node name={undefined} value={value} open={open} wanted={wanted} />
        </div>
      )}
    </div>
  );
}

interface NodeProps {
  readonly name: string | undefined;
  readonly value: unknown;
  readonly open: number;
  readonly wanted: string;
}

/** Children shown per level; the rest is counted. */
const MAX_SHOWN = 200;

function Node({ name, value, open, wanted }: NodeProps) {
  const [all, setAll] = useState(false);
  if (typeof value !== 'object' || value === null) {
    return (
      <div className="pl-3.75 ml-7.75 -indent-3.75 wrap-anywhere">
        <Name name={name} wanted={wanted} />
        <Leaf value={value} wanted={wanted} />
      </div>
    );
  }
  const entries: [string, unknown][] = Array.isArray(value)
    ? value.map((item: unknown, index) => [String(index), item])
    : Object.entries(value);
  const [before, after] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (entries.length === 0) {
    return (
      <div className="pl-3.75 ml-7.75 -indent-3.75 wrap-anywhere">
        <Name name={name} wanted={wanted} />
        {before}
        {after}
      </div>
    );
  }
  const found = wanted !== '' && entries.some(([key, item]) => has(key, item, wanted));
  return (
    <details
      open={found || open > 0}
      className="[&_summary]:cursor-pointer [&_summary]:list-inside [&>:not(summary,div)]:ml-4"
    >
      <summary>
        <Name name={name} wanted={wanted} />
        <span className="text-ink3">
          {before} {entries.length} {after}
        </span>
      </summary>
      {(all ? entries : entries.slice(0, MAX_SHOWN)).map(([key, item]) => (
        <Node key={key} name={key} value={item} open={open - 1} wanted={wanted} />
      ))}
      {!all && entries.length > MAX_SHOWN && (
        <button type="button" onClick={() => setAll(true)}>
          {entries.length - MAX_SHOWN} more
        </button>
      )}
    </details>
  );
}

function Name({ name, wanted }: { readonly name: string | undefined; readonly wanted: string }) {
  if (name === undefined) return null;
  const hit = wanted !== '' && name.toLowerCase().includes(wanted);
  return <span className="text-ink2">{hit ? <mark>{visibleText(name)}</mark> : visibleText(name)}: </span>;
}

const CLAMP = 240;

function Leaf({ value, wanted }: { readonly value: unknown; readonly wanted: string }) {
  const [whole, setWhole] = useState(false);
  const text = typeof value === 'string' ? value : String(value);
  const hit = wanted !== '' && text.toLowerCase().includes(wanted);
  const cut = !whole && !hit && text.length > CLAMP;
  const shown = visibleText(cut ? `${text.slice(0, CLAMP)}…` : text);
  return (
    <span
      className="whitespace-pre-wrap data-[type=string]:text-ok data-[type=number]:text-accent data-[type=boolean]:text-accent data-[type=null]:text-ink3"
      data-type={value === null ? 'null' : typeof value}
    >
      {hit ? <mark>{shown}</mark> : typeof value === 'string' ? `"${shown}"` : shown}
      {cut && (
        <button type="button" onClick={() => setWhole(true)}>
          show all {text.length} characters
        </button>
      )}
    </span>
  );
}

/** Recursive, since evidence is bounded and never deep. */
function has(key: string, value: unknown, wanted: string): boolean {
  if (key.toLowerCase().includes(wanted)) return true;
  if (typeof value !== 'object' || value === null) return String(value).toLowerCase().includes(wanted);
  return Object.entries(value).some(([name, item]) => has(name, item, wanted));
}
