import type { IncidentItem, Overview } from '@loopwatch/contract/api';
import { Link } from '@tanstack/react-router';
import { costShort } from '../incident/cost.ts';
import { formatNumber, formatReason } from '../lib/format.ts';
import { visibleText } from '../lib/visible-text.ts';
import { Ring } from '../ui/charts/Ring.tsx';
import { DetectorLabel, SampleChip } from '../ui/controls/Chip.tsx';
import rowLink from '../ui/controls/RowLink.module.css';
import { Card } from '../ui/layout/Card.tsx';
import { Ago } from '../ui/layout/Time.tsx';
import styles from './LoopingNow.module.css';

/** Open incidents, newest first. */
export function LoopingNow({ overview: { open, openItems } }: { readonly overview: Overview }) {
  return (
    <Card
      title="Looping now"
      note={
        <Link className={styles['all']} to="/incidents" search={{ open: 'true' }} activeProps={{}}>
          {open <= openItems.length ? 'open incidents' : `all ${formatNumber(open)} open incidents`}
        </Link>
      }
      flush
    >
      {open === 0 ? (
        <p className={styles['nothing']}>No session is looping.</p>
      ) : (
        <table className={styles['table']} aria-label="Open incidents, newest first">
          <thead>
            <tr>
              <th scope="col">
                <span className="unseen">Count</span>
              </th>
              <th scope="col">Reason</th>
              <th scope="col">Agent</th>
              <th scope="col">Model</th>
              <th scope="col">Cost</th>
              <th scope="col">Detected</th>
            </tr>
          </thead>
          <tbody>
            {openItems.map((row) => (
              <Row key={row.id} row={row} />
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
}

function Row({ row }: { readonly row: IncidentItem }) {
  const cost = costShort(row);
  const agent = visibleText(row.agent ?? row.sessionId);
  return (
    <tr>
      <td className={styles['ring']}>
        <Ring detector={row.detector} count={row.count} threshold={row.threshold} period={row.period} />
      </td>
      <td className={styles['why']}>
        <Link className={rowLink['link']} to="/incidents/$id" params={{ id: row.id }} title={row.reason}>
          {formatReason(row.reason)}
        </Link>
        <p>
          <DetectorLabel detector={row.detector} />
          {row.sample === true && <SampleChip />}
          <code className={styles['inline']}>{agent}</code>
        </p>
      </td>
      <td title={agent}>
        <code>{agent}</code>
      </td>
      <td title={row.model ?? undefined}>{visibleText(row.model ?? '–')}</td>
      <td className={styles['number']}>
        {cost.value}
        <small>{cost.unit}</small>
      </td>
      <td className={styles['number']}>
        <Ago time={row.detectedAt} />
      </td>
    </tr>
  );
}
