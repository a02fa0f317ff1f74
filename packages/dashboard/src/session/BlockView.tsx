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
import styles from './BlockView.module.css';
import { type Block, isInLoop } from './blocks.ts';
import { Said } from './Said.tsx';

const RecordDialog = lazy(() => loadCode(() => import('./RecordDialog.tsx')));

interface Props {
  readonly sessionId: string;
  readonly block: Block;
  /** Of the session. */
  readonly incidents: readonly IncidentItem[];
  /** Whether texts are only told of, by their length. */
  readonly veiled: boolean;
}

const names: Record<Block['kind'], string> = {
  prompt: 'User',
  answer: 'Answer',
  thought: 'Reasoning',
  call: 'Call',
  note: 'Note',
  unreadable: 'Unreadable record',
};

/** One block of a conversation. Texts are texts: nothing in them is ever taken for markup. */
export function BlockView({ sessionId, block, incidents, veiled }: Props) {
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
          title="The record as it came"
          aria-label={`The record of ${block.first === undefined ? 'this block' : `event ${String(block.first)}`} as it came`}
          onClick={() => setRecord(true)}
        >
          <Icon name="json" size={13} />
        </button>
        {record && (
          <Suspense>
            <RecordDialog
              sessionId={sessionId}
              events={block.events}
              veiled={veiled}
              onClose={() => setRecord(false)}
            />
          </Suspense>
        )}
        <CopyButton
          bare
          what="these events as JSON"
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
        <Said veiled={veiled && block.kind !== 'note'} text={block.text} />
      ) : (
        <>
          {block.call.args !== '' && <Said code veiled={veiled} text={prettyJson(block.call.args)} />}
          {block.call.result !== undefined && (
            <div className={styles['result']} data-failed={block.call.result.failed || undefined}>
              <small>{block.call.result.failed ? 'failed' : 'result'}</small>
              <Said code veiled={veiled} text={prettyJson(block.call.result.text) || 'empty'} />
            </div>
          )}
        </>
      )}
    </div>
  );
}
