import type { Database } from '@loopwatch/storage';
import type { ServerMetrics } from '../metrics.ts';

/** The same database; how long it takes, the wait for a connection included, is measured. */
export function measuredDatabase(database: Database, { queries }: Pick<ServerMetrics, 'queries'>): Database {
  const measured = async <T>(work: 'query' | 'transaction', doing: Promise<T>): Promise<T> => {
    const stop = queries.startTimer({ work });
    try {
      return await doing;
    } finally {
      stop();
    }
  };
  return {
    ...database,
    query: (sql, parameters) => measured('query', database.query(sql, parameters)),
    transaction: (work) => measured('transaction', database.transaction(work)),
  };
}
