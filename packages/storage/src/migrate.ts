import { createHash } from 'node:crypto';
import type { Database, Queryable } from './database.ts';
import { type Migration, migrations } from './migrations.ts';

/** Arbitrary, but the same on all servers. */
const LOCK_NUMBER = 460_001;

interface Applied {
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
}

/** The database is of a version that this one cannot migrate. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/**
 * Applies the missing migrations. When several servers start at once, one of them does it.
 *
 * @returns the numbers of the applied migrations
 * @throws MigrationError when a newer version migrated the database, or an applied migration has changed
 */
export async function migrate(
  database: Pick<Database, 'transaction'>,
  steps: readonly Migration[] = migrations,
): Promise<number[]> {
  const apply = async (tx: Queryable): Promise<number[]> => {
    await tx.query('select pg_advisory_xact_lock($1)', [LOCK_NUMBER]);
    await tx.query(
      `create table if not exists migrations (
         number integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now()
       )`,
    );
    const applied = await tx.query<Applied>('select number, name, checksum from migrations order by number');
    for (const { number, name, checksum } of applied) {
      const step = steps.find((one) => one.number === number);
      if (step === undefined) {
        throw new MigrationError(
          `The database has migration ${String(number)} (${name}), which this version of Loopwatch does not know: a newer one applied it.`,
        );
      }
      if (checksumOf(step) !== checksum) {
        throw new MigrationError(
          `Migration ${String(number)} (${name}) differs from the one that was applied: the database is of a version that this one does not migrate.`,
        );
      }
    }
    const missing = steps.filter(({ number }) => applied.every((one) => one.number !== number));
    for (const step of missing) {
      for (const statement of statementsOf(step.sql)) await tx.query(statement);
      await tx.query('insert into migrations (number, name, checksum) values ($1, $2, $3)', [
        step.number,
        step.name,
        checksumOf(step),
      ]);
    }
    return missing.map(({ number }) => number);
  };
  // A migration may read everything that is stored.
  return database.transaction(apply, { isUnlimited: true });
}

function checksumOf({ sql }: Migration): string {
  return createHash('sha256').update(sql).digest('hex');
}

/** The single statements, because a query may hold only one; within a statement, semicolons are between `$$` only. */
function statementsOf(sql: string): string[] {
  const statements = [''];
  const parts = sql.replace(/^[ \t]*--.*$/gm, '').split('$$');
  for (const [i, part] of parts.entries()) {
    const [rest = '', ...following] = i % 2 === 1 ? [`$$${part}$$`] : part.split(';');
    statements.push((statements.pop() ?? '') + rest, ...following);
  }
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== '');
}
