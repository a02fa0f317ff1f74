import { inSpan, type SpanAttributes, type Tracing } from '@loopwatch/telemetry';
import type { Database } from './database.ts';

/** Longer statements are cut; they hold no values, which are passed as parameters. */
const MAX_STATEMENT_LENGTH = 2_000;

/**
 * Records queries and transactions as part of the work in progress, such as a request or a batch. What runs in the background
 * without a span, such as polling, is not recorded.
 */
export function traceDatabase(database: Database, tracing: Tracing | undefined): Database {
  if (tracing === undefined) return database;
  const traced = <T>(operation: string, attributes: SpanAttributes, work: () => Promise<T>): Promise<T> => {
    if (tracing.active === undefined) return work();
    const common = { 'db.system.name': 'postgresql', 'db.operation.name': operation };
    const options = { kind: 'client', attributes: { ...common, ...attributes } } as const;
    return inSpan(tracing, `${operation} ${database.kind}`, options, work);
  };
  return {
    ...database,
    query: (sql, parameters) =>
      traced('query', { 'db.query.text': sql.slice(0, MAX_STATEMENT_LENGTH) }, () =>
        database.query(sql, parameters),
      ),
    transaction: (work) => traced('transaction', {}, () => database.transaction(work)),
  };
}
