import type { IncidentItem } from '@loopwatch/contract/api';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { prettyJson } from '../incident/evidence/diff.ts';
import { loadCode } from '../lib/load-code.ts';
import { visibleText } from '../lib/visible-text.ts';
import bare from '../ui/controls/Button.module.css';
import { DetectorSquare } from '../ui/controls/Chip.tsx';
import { CopyButton } from '../ui/controls/CopyButton.tsx';
import { Icon } from '../ui/lib/icons.tsx';
import { BlockText } from './BlockText.tsx';
import styles from './BlockView.module.css';
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
      className={styles['block']}
      data-kind={block.kind}
      data-detector={loop?.detector}
      data-loop={loop !== undefined || undefined}
    >
      <div className={styles['head']}>
        <b>{visibleText(block.call?.name ?? names[block.kind])}</b>
        {loops.map((item) => (
          <Link key={item.id} to="/incidents/$id" params={{ id: item.id }} title={item.reason}>
            <DetectorSquare detector={item.detector} />
            {item.detector}
          </Link>
        ))}
        <span />
        <button
          type="button"
          className={bare['copyIcon']}
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
            <div className={styles['result']} data-failed={block.call.result.failed || undefined}>
              <small>{block.call.result.failed ? 'failed' : 'result'}</small>
              <BlockText code isRedacted={isRedacted} text={prettyJson(block.call.result.text) || 'empty'} />
            </div>
          )}
        </>
      )}
    </div>
  );
}
