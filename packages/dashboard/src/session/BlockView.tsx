import type { IncidentItem } from '@loopwatch/contract/api';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { prettyJson } from '../incident/evidence/diff.ts';
import { loadCode } from '../lib/load-code.ts';
import { visibleText } from '../lib/visible-text.ts';
import { DetectorSquare } from '../ui/controls/Chip.tsx';
import { CopyButton, iconClass } from '../ui/controls/CopyButton.tsx';
import { Icon } from '../ui/lib/icons.tsx';
import { BlockText } from './BlockText.tsx';
import { type Block, isInLoop } from './blocks.ts';

const RecordDialog = lazy(() => loadCode(() => import('./RecordDialog.tsx')));

interface Props {
  readonly sessionId: string;
  readonly block: Block;
  /** All incidents of the session. */
  readonly incidents: readonly IncidentItem[];
  /** Whether only the length of texts is shown. */
  readonly isRedacted: boolean;
}

const names: Record<Block['kind'], string> = {
  prompt: 'User',
  answer: 'Answer',
  thought: 'Reasoning',
  call: 'Call',
  note: 'Note',
  unreadable: 'Unreadable record',
};

/** One block of a conversation, as plain text: markup in it is never rendered. */
export function BlockView({ sessionId, block, incidents, isRedacted }: Props) {
  const [record, setRecord] = useState(false);
  const loops = incidents.filter((item) => isInLoop(block, item));
  const [loop] = loops;
  return (
    <div
      className="pl-3 py-0.5 min-w-0 border-l-3 border-l-transparent data-loop:border-l-(--hue) data-[kind=prompt]:px-3 data-[kind=prompt]:py-2 data-[kind=prompt]:border-l-transparent data-[kind=prompt]:rounded-md data-[kind=prompt]:bg-accent-soft"
      data-kind={block.kind}
      data-detector={loop?.detector}
      data-loop={loop !== undefined || undefined}
    >
      <div className="flex items-center gap-3 min-h-5.5 text-sm [&_a]:inline-flex [&_a]:items-center [&_a]:gap-1.25 [&_a]:text-xs [&_a]:text-ink2 [&>span]:flex-1 [&_a]:hover:underline">
        <b className="font-600 text-ink2 in-data-[kind=call]:text-sm/[1.6] in-data-[kind=call]:font-mono in-data-[kind=call]:font-550 in-data-[kind=call]:text-ink in-data-[kind=note]:text-ink3">
          {visibleText(block.call?.name ?? names[block.kind])}
        </b>
        {loops.map((item) => (
          <Link key={item.id} to="/incidents/$id" params={{ id: item.id }} title={item.reason}>
            <DetectorSquare detector={item.detector} />
            {item.detector}
          </Link>
        ))}
        <span />
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
      </div>
      {block.call === undefined ? (
        <BlockText isRedacted={isRedacted && block.kind !== 'note'} text={block.text} />
      ) : (
        <>
          {block.call.args !== '' && (
            <BlockText code isRedacted={isRedacted} text={prettyJson(block.call.args)} />
          )}
          {block.call.result !== undefined && (
            <div
              className="px-2.5 py-1.5 mt-1 grid grid-cols-[48px_minmax(0,1fr)] gap-x-2 gap-y-0 rounded-md bg-raise/60 [&>:not(small)]:col-2 [&>:not(small)]:justify-self-start"
              data-failed={block.call.result.failed || undefined}
            >
              <small className="text-xs/[1.8] text-ink3 in-data-failed:text-hot">
                {block.call.result.failed ? 'failed' : 'result'}
              </small>
              <BlockText code isRedacted={isRedacted} text={prettyJson(block.call.result.text) || 'empty'} />
            </div>
          )}
        </>
      )}
    </div>
  );
}
