import { deadLetterHeaders, deadLetterReasons, storableText } from '@loopwatch/contract';
import type { Status } from '@loopwatch/contract/api';
import type { LogRecord } from '@loopwatch/log';
import type { Queryable } from '@loopwatch/storage';
import type { StoreRecords } from './topic-feed.ts';

type DeadLetters = Status['log']['deadLetters'][number];

/** The `dead-letters` topic, which workers and servers write: only the numbers are stored, and where the latest came from. */
export function deadLetterRecords(): StoreRecords {
  return async (tx, records) => {
    const counts = new Map<string, DeadLetters>();
    for (const record of records) {
      const letter = describe(record);
      const name = `${letter.reason} ${letter.topic}`;
      counts.set(name, { ...letter, count: (counts.get(name)?.count ?? 0) + 1 });
    }
    for (const { topic, reason, count, latest } of counts.values()) {
      await tx.query(
        `insert into dead_letters (topic, reason, letters, latest) values ($1, $2, $3, $4::jsonb)
         on conflict (topic, reason) do update set letters = dead_letters.letters + excluded.letters, latest = excluded.latest`,
        [topic, reason, count, JSON.stringify(latest)],
      );
    }
    return () => undefined;
  };
}

/** What its headers say; other programs may have written it. */
function describe({ headers, timestamp }: LogRecord): DeadLetters {
  const text = (name: string): string => storableText(Buffer.from(headers[name] ?? '').toString());
  const number = (name: string): number | null => (/^\d{1,15}$/.test(text(name)) ? Number(text(name)) : null);
  const reason = text(deadLetterHeaders.code);
  const { partition, offset } = deadLetterHeaders;
  return {
    topic: text(deadLetterHeaders.topic).slice(0, 249),
    reason: Object.hasOwn(deadLetterReasons, reason) ? reason : 'unknown',
    count: 1,
    latest: { partition: number(partition), offset: number(offset), at: timestamp },
  };
}

/** Counted since the database was created; the latest first. */
export function countedDeadLetters(database: Queryable): Promise<DeadLetters[]> {
  return database.query<DeadLetters>(
    `select topic, reason, letters::float8 as count, latest from dead_letters order by (latest->>'at')::float8 desc`,
  );
}
