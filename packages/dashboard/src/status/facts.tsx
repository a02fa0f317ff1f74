import type { Status } from '@loopwatch/contract/api';
import type { ReactNode } from 'react';
import { formatNumber, plural } from '../lib/format.ts';
import { Ago } from '../ui/layout/Time.tsx';

/** A label and what is shown beside it. */
type Fact = [string, ReactNode];

/** Records that could not be stored, with the latest reason. */
export function setAsideFact({ log }: Status): Fact[] {
  const partitions = log.topics.flatMap((topic) =>
    topic.partitions.map((one) => ({ ...one, topic: topic.name })),
  );
  const total = partitions.reduce((sum, { setAside }) => sum + setAside, 0);
  const [last] = partitions
    .filter(({ latestSetAside }) => latestSetAside !== null)
    .sort((a, b) => (b.latestSetAside?.at ?? 0) - (a.latestSetAside?.at ?? 0));
  if (total === 0 || last?.latestSetAside == null) return [];
  const { offset, detail, at } = last.latestSetAside;
  const text = `${plural(total, 'record')}; the latest at offset ${String(offset)} of ${last.topic}: ${detail}`;
  return [
    [
      'could not be stored',
      <span key="a">
        <Check ok={false} text={text} /> <Ago time={at} />
      </span>,
    ],
  ];
}

/** Red as long as there may be more to come. */
const RECENT_MS = 3_600_000;

/** The dead letters of one topic with one reason, and where the latest came from. */
export function deadLettersFact(
  { topic, reason, count, latest }: Status['log']['deadLetters'][number],
  now: number,
): Fact {
  const { partition, offset, at } = latest;
  const place =
    partition === null || offset === null
      ? ''
      : ` at offset ${String(offset)} of partition ${String(partition)}`;
  const text = `${plural(count, 'dead letter')}; the latest${place}`;
  return [
    `${topic}: ${reason}`,
    <span key="d">
      <Check ok={now - at > RECENT_MS} text={text} /> <Ago time={at} />
    </span>,
  ];
}

/** Records that the server has not read yet, in all partitions; null if unknown for one of them. */
export function totalLag({ log }: Status): number | null {
  const lags = log.topics.flatMap(({ partitions }) => partitions.map(({ lag }) => lag));
  return lags.length === 0 || lags.includes(null)
    ? null
    : lags.reduce<number>((sum, lag) => sum + (lag ?? 0), 0);
}

/** How many checks of the semantic judge failed; nothing without a judge. */
export function judgeFact({ judge }: Status): Fact[] {
  if (judge === null) return [];
  const text = `${formatNumber(judge.failed)} of ${plural(judge.checks, 'check')} failed`;
  return [['semantic judge', <Check key="j" ok={!judge.failing} text={text} />]];
}

/** A text that is red unless all is well. */
export function Check({ ok, text }: { readonly ok: boolean; readonly text: string }) {
  return (
    <span
      className="inline-flex items-baseline gap-1.5 text-hot data-ok:text-inherit"
      data-ok={ok || undefined}
    >
      <i className="size-2 flex-none rounded-[2px] bg-current in-data-ok:rounded-full in-data-ok:bg-ok" />
      {text}
    </span>
  );
}
