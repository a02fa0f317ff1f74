import type { Incident, IncidentRow } from '@loopwatch/contract';
import { type RefObject, useEffect, useRef } from 'react';
import { Link } from '../app/Link.tsx';
import { Button } from '../ui/Button.tsx';
import { chipClass, DetectorLabel, StateChip } from '../ui/Chip.tsx';
import { CopyButton } from '../ui/CopyButton.tsx';
import { Icon } from '../ui/icons.tsx';
import { Message } from '../ui/Message.tsx';
import { Ring } from '../ui/Ring.tsx';
import { costSentence } from './cost.ts';
import { Evidence } from './evidence/index.tsx';
import { Guidance, Record, Steps, Why } from './facts.tsx';
import styles from './IncidentPane.module.css';
import { useIncident } from './use-incident.ts';

interface Props {
  readonly id: string;
  /** What the list knows already. */
  readonly row: IncidentRow | undefined;
  readonly onClose: () => void;
  /** Whether the reader goes on in here when it opens, rather than in the list. */
  readonly readOn: RefObject<boolean>;
  /** Shows the incidents that have a value in common with this one. */
  readonly filterLink: (name: 'agent' | 'model' | 'sessionId', value: string) => string;
}

/** One incident: what repeats, why it is called a loop, and what was seen of it. */
export function IncidentPane({ id, row, onClose, readOn, filterLink }: Props) {
  const [loaded, retry] = useIncident(id, row?.revision);
  const known = loaded.state === 'ready' ? loaded.incident : row;
  return (
    <article className={styles['pane']} aria-label="Incident">
      <div className={styles['bar']}>
        <span className={styles['back']}>
          <Button quiet onClick={onClose}>
            <Icon name="back" size={14} />
            All incidents
          </Button>
        </span>
        <span className={styles['grow']} />
        {loaded.state === 'ready' && (
          <CopyButton
            what="link"
            text={() => `${window.location.origin}/incidents/${encodeURIComponent(id)}`}
          />
        )}
        <span className={styles['close']}>
          <Button quiet icon onClick={onClose} aria-label="Close" title="Close (Esc)">
            <Icon name="close" />
          </Button>
        </span>
      </div>
      {known !== undefined && loaded.state !== 'missing' && (
        <Head row={known} readOn={readOn} filterLink={filterLink} />
      )}
      {loaded.state === 'loading' && <Skeleton headed={row !== undefined} />}
      {loaded.state === 'missing' && (
        <Message level={1} title="This incident is not here">
          It may be older than what the server keeps, or the link is incomplete.
        </Message>
      )}
      {loaded.state === 'failed' && (
        <Message
          level={known === undefined ? 1 : 2}
          title="No answer"
          tone="hot"
          action={<Button onClick={retry}>Try again</Button>}
        >
          {loaded.message}
        </Message>
      )}
      {loaded.state === 'ready' && <Body incident={loaded.incident} />}
    </article>
  );
}

interface HeadProps extends Pick<Props, 'readOn' | 'filterLink'> {
  readonly row: IncidentRow;
}

function Head({ row, readOn, filterLink }: HeadProps) {
  const heading = useRef<HTMLHeadingElement>(null);

  // Whoever opens an incident reads on in it; whoever moves through the list with j and k stays in the list.
  useEffect(() => {
    if (readOn.current) heading.current?.focus();
  }, [row.id, readOn]);

  const model = [row.backend, row.model].filter((part) => part !== null).join(' / ');
  return (
    <header className={styles['head']}>
      <Ring
        detector={row.detector}
        count={row.count}
        threshold={row.threshold}
        period={row.period}
        size="large"
        over={row.state === 'resolved'}
      />
      <div className={styles['title']}>
        <div className={styles['chips']}>
          <StateChip state={row.state} outcome={row.outcome} />
          <span className={chipClass}>
            <DetectorLabel detector={row.detector} />
          </span>
          {row.agent !== null && (
            <Link className={chipClass} href={filterLink('agent', row.agent)} title="Incidents of this agent">
              <span>{row.agent}</span>
            </Link>
          )}
          {model !== '' && (
            <span className={chipClass}>
              <span>{model}</span>
            </span>
          )}
        </div>
        <h1 ref={heading} tabIndex={-1}>
          {row.reason}
        </h1>
        <p>{costSentence(row)}</p>
      </div>
    </header>
  );
}

function Body({ incident }: { readonly incident: Incident }) {
  return (
    <div className={styles['body']}>
      <div className={styles['column']}>
        <Evidence incident={incident} />
      </div>
      <div className={styles['sides']}>
        <div className={styles['column']}>
          <Why incident={incident} />
          {incident.guidance !== null && <Guidance text={incident.guidance} />}
        </div>
        <div className={styles['column']}>
          <Steps incident={incident} />
          <Record incident={incident} />
        </div>
      </div>
    </div>
  );
}

function Skeleton({ headed }: { readonly headed: boolean }) {
  return (
    <div className={styles['skeleton']} role="status">
      <span className="unseen">Reading the incident…</span>
      {!headed && <h1 className="unseen">Incident</h1>}
      <i />
      <i />
    </div>
  );
}
