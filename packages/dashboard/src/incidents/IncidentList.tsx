import type { IncidentRow } from '@loopwatch/contract';
import { useEffect, useRef } from 'react';
import { Link } from '../app/Link.tsx';
import { costShort } from '../incident/cost.ts';
import { DetectorLabel, StateLabel } from '../ui/Chip.tsx';
import { formatDuration } from '../ui/format.ts';
import { Ring } from '../ui/Ring.tsx';
import { Ago } from '../ui/Time.tsx';
import styles from './IncidentList.module.css';

interface Props {
  readonly rows: readonly IncidentRow[];
  readonly selected: string | undefined;
  /** Incidents that came while the page was open. */
  readonly arrived: ReadonlySet<string>;
  readonly hrefOf: (id: string) => string;
  readonly onOpen: (id: string) => void;
}

/** The incidents, newest first. One markup for wide, narrow and phone: the list's own width decides how it looks. */
export function IncidentList({ rows, selected, arrived, hrefOf, onOpen }: Props) {
  const list = useRef<HTMLDivElement>(null);
  // Who comes by a link finds the row of the incident in sight.
  useEffect(() => {
    if (selected !== undefined)
      list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
  return (
    <div className={styles['list']} data-incident-list ref={list}>
      <div className={styles['columns']} aria-hidden="true">
        <span />
        <span>What repeats</span>
        <span>Agent</span>
        <span>Found</span>
        <span>Used</span>
        <span>State</span>
      </div>
      <ol aria-label="Incidents, newest first">
        {rows.map((row) => (
          <Item
            key={row.id}
            row={row}
            selected={row.id === selected}
            arrived={arrived.has(row.id)}
            href={hrefOf(row.id)}
            onOpen={onOpen}
          />
        ))}
      </ol>
    </div>
  );
}

interface ItemProps {
  readonly row: IncidentRow;
  readonly selected: boolean;
  readonly arrived: boolean;
  readonly href: string;
  readonly onOpen: (id: string) => void;
}

function Item({ row, selected, arrived, href, onOpen }: ItemProps) {
  const cost = costShort(row);
  return (
    <li className={styles['item']} data-arrived={arrived || undefined} data-selected={selected || undefined}>
      <div className={styles['row']}>
        <Ring
          detector={row.detector}
          count={row.count}
          threshold={row.threshold}
          period={row.period}
          over={row.state === 'resolved'}
        />
        <div className={styles['why']}>
          <Link
            href={href}
            className={styles['link']}
            data-incident={row.id}
            aria-current={selected || undefined}
            title={row.reason}
            onFollow={() => onOpen(row.id)}
          >
            {row.reason}
          </Link>
          <DetectorLabel detector={row.detector} />
        </div>
        <div className={styles['agent']}>
          <span className={styles['name']}>{row.agent ?? row.sessionId}</span>
          <span className={styles['second']}>{row.model ?? 'model not given'}</span>
        </div>
        <div className={styles['found']}>
          <Ago time={row.detectedAt} />
          <span>
            {row.state === 'open' ? 'for' : 'lasted'} {formatDuration(Math.max(0, row.cost.ms))}
          </span>
        </div>
        <div className={styles['cost']}>
          {cost.value} <span>{cost.unit}</span>
        </div>
        <div className={styles['state']}>
          <StateLabel state={row.state} outcome={row.outcome} />
        </div>
      </div>
    </li>
  );
}
