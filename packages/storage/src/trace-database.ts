import { inSpan } from '@loopwatch/telemetry';
import { type Attributes, SpanKind, trace } from '@opentelemetry/api';
import type { Database } from './database.ts';

/** Longer statements are cut; they hold no values, which are passed as parameters. */
const MAX_STATEMENT_LENGTH = 2_000;

/**
 * Records queries and transactions as part of the work in progress, such as a request or a batch. What runs in the background
 * without a span, such as polling, is not recorded.
 */
export function traceDatabase(database: Database): Database {
  const traced = <T>(operation: string, attributes: Attributes, work: () => Promise<T>): Promise<T> => {
    if (trace.getActiveSpan() === undefined) return work();
    const common = { 'db.system.name': 'postgresql', 'db.operation.name': operation };
    const options = { kind: SpanKind.CLIENT, attributes: { ...common, ...attributes } };
    return inSpan(`${operation} ${database.kind}`, options, work);
  };
  return {
    ...database,
    query: (sql, parameters) =>
      traced('query', { 'db.query.text': sql.slice(0, MAX_STATEMENT_LENGTH) }, () =>
        database.query(sql, parameters),
      ),
    transaction: (work, options) => traced('transaction', {}, () => database.transaction(work, options)),
  };
}
