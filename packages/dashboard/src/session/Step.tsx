import type { IncidentItem } from '@loopwatch/contract/api';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { formatCompact, formatDuration, formatUsd, plural } from '../lib/format.ts';
import { loadCode } from '../lib/load-code.ts';
import { visibleText } from '../lib/visible-text.ts';
import { DetectorSquare } from '../ui/controls/Chip.tsx';
import { CopyButton, iconClass } from '../ui/controls/CopyButton.tsx';
import { Icon } from '../ui/lib/icons.tsx';
import { BlockText } from './BlockText.tsx';
import { type Block, isInLoop } from './blocks.ts';
import { ReadableBlock } from './ReadableBlock.tsx';
import { valueLine } from './readable-value.ts';

const RecordDialog = lazy(() => loadCode(() => import('./RecordDialog.tsx')));

interface Props {
  readonly sessionId: string;
  readonly block: Block;
  /** All incidents of the session. */
  readonly incidents: readonly IncidentItem[];
  /** Whether only the length of texts is shown. */
  readonly isRedacted: boolean;
  readonly isOpen: boolean;
  /** Duration of the longest call that is loaded, ms. */
  readonly longest: number;
  readonly onToggle: () => void;
}

const kinds = {
  prompt: { name: 'User', icon: 'user' },
  answer: { name: 'Answer', icon: 'sessions' },
  thought: { name: 'Reasoning', icon: 'model' },
  call: { name: 'Call', icon: 'tool' },
  note: { name: 'Note', icon: 'note' },
  unreadable: { name: 'Unreadable record', icon: 'alert' },
} as const;

/** One step on one line, with its arguments and result below once it is opened. Markup in texts is never rendered. */
export function Step({ block, incidents, isRedacted, isOpen, longest, onToggle, sessionId }: Props) {
  const loops = incidents.filter((item) => isInLoop(block, item));
  const { call } = block;
  const { name, icon } = kinds[block.kind];
  const hides = isRedacted && block.kind !== 'note';
  return (
    <div
      className="min-w-0 border-l-3 border-l-transparent rounded-r-sm data-loop:border-l-(--hue) data-loop:bg-[color-mix(in_oklch,var(--hue)_7%,transparent)] data-[kind=prompt]:bg-accent-soft"
      data-kind={block.kind}
      data-detector={loops[0]?.detector}
      data-loop={loops.length > 0 || undefined}
    >
      <button
        type="button"
        className="flex w-full min-w-0 items-center gap-2 rounded-r-sm px-2 py-1 text-left hover:bg-raise/70"
        aria-expanded={isOpen}
        onClick={onToggle}
      >
        <span className="flex-none text-ink3 in-data-[kind=prompt]:text-accent" title={name}>
          <Icon name={icon} size={14} />
        </span>
        <b
          className={`flex-none max-w-[40%] truncate ${call === undefined ? 'text-sm font-600 text-ink2' : 'font-mono text-sm/[1.6] font-550 text-ink'}`}
        >
          {visibleText(call?.name ?? name)}
        </b>
        <span
          className={`min-w-0 flex-1 truncate ${call === undefined ? 'in-data-[kind=thought]:italic in-data-[kind=thought]:text-ink2' : 'font-mono text-sm/[1.6] font-450 text-ink2'}`}
          dir={call === undefined ? 'auto' : undefined}
        >
          {isOpen ? '' : hides ? hiddenText(block) : visibleText(lineOf(block))}
        </span>
        <Figures block={block} longest={longest} />
      </button>
      {isOpen && (
        <div className="grid gap-2 pt-0.5 pr-2 pb-2.5 pl-8 max-sm:pl-2">
          <div className="flex items-center gap-3 text-xs [&_a]:inline-flex [&_a]:items-center [&_a]:gap-1.25 [&_a]:text-ink2 [&_a]:hover:underline">
            {loops.map((item) => (
              <Link key={item.id} to="/incidents/$id" params={{ id: item.id }} title={item.reason}>
                <DetectorSquare detector={item.detector} />
                {item.detector}
              </Link>
            ))}
            <span className="flex-1" />
            <Records sessionId={sessionId} block={block} isRedacted={isRedacted} />
          </div>
          {call === undefined ? (
            <BlockText isRedacted={hides} text={block.text} />
          ) : (
            <>
              {call.args !== '' && <ReadableBlock isRedacted={isRedacted} text={call.args} />}
              {call.result !== undefined && (
                <div
                  className="grid gap-1 rounded-md border bg-panel px-3 py-2 data-failed:border-hot/40"
                  data-failed={call.result.failed || undefined}
                >
                  <small className="text-xs text-ink3 in-data-failed:text-hot">
                    {call.result.failed ? 'failed' : 'result'}
                  </small>
                  <ReadableBlock isRedacted={isRedacted} text={call.result.text || 'empty'} />
                </div>
              )}
            </>
          )}
        </div>
      )}
    </div>
  );
}

/** Duration, usage and how it ended. */
function Figures({ block: { call, usage }, longest }: Pick<Props, 'block' | 'longest'>) {
  return (
    <span className="flex flex-none items-center gap-3 text-xs text-ink2 tabular-nums">
      {usage !== undefined && (
        <span className="max-sm:hidden">
          {usage.usd === undefined ? `${formatCompact(usage.tokens)} tokens` : formatUsd(usage.usd)}
        </span>
      )}
      {call?.ms !== undefined && (
        <>
          <span className="w-16 max-lg:hidden" aria-hidden="true">
            <i
              className="block h-1.5 min-w-px rounded-full bg-ink3/50"
              style={{ width: `${String((100 * call.ms) / longest)}%` }}
            />
          </span>
          <span className="min-w-11 text-right max-sm:hidden">{formatDuration(call.ms)}</span>
        </>
      )}
      {call !== undefined && <Outcome result={call.result} />}
    </span>
  );
}

function Outcome({ result }: Pick<NonNullable<Block['call']>, 'result'>) {
  if (result === undefined) {
    return (
      <span className="size-3.5 grid place-items-center" title="no result yet">
        <i className="size-2 rounded-full border-[1.6px] border-dotted border-current" />
        <span className="sr-only">no result yet</span>
      </span>
    );
  }
  return (
    <span className={result.failed ? 'text-hot' : 'text-ok'} title={result.failed ? 'failed' : 'succeeded'}>
      <Icon name={result.failed ? 'close' : 'check'} size={14} />
      <span className="sr-only">{result.failed ? 'failed' : 'succeeded'}</span>
    </span>
  );
}

function Records({ sessionId, block, isRedacted }: Pick<Props, 'sessionId' | 'block' | 'isRedacted'>) {
  const [record, setRecord] = useState(false);
  return (
    <>
      <button
        type="button"
        className={iconClass}
        title="Raw record"
        aria-label={`Raw record of ${block.first === undefined ? 'this block' : `event ${String(block.first)}`}`}
        onClick={() => setRecord(true)}
      >
        <Icon name="json" size={13} />
      </button>
      {record && (
        <Suspense>
          <RecordDialog
            sessionId={sessionId}
            events={block.events}
            isRedacted={isRedacted}
            onClose={() => setRecord(false)}
          />
        </Suspense>
      )}
      <CopyButton
        bare
        what="events as JSON"
        text={() =>
          JSON.stringify(
            block.events.map(({ event }) => event),
            null,
            2,
          )
        }
      />
    </>
  );
}

const LINE_UNITS = 300;

function lineOf({ call, text }: Block): string {
  return call === undefined ? text.slice(0, LINE_UNITS) : valueLine(call.args).slice(0, LINE_UNITS);
}

function hiddenText({ call, text }: Block): string {
  const length = call === undefined ? text.length : call.args.length + (call.result?.text.length ?? 0);
  return `${plural(length, 'character')} hidden`;
}
