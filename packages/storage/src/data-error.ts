import { DatabaseUnavailable } from './database.ts';

/**
 * Classes of SQLSTATE that say nothing about the data of a statement: connection, transaction state, rights, conflicts between
 * transactions, missing tables, resources, and the server itself.
 */
const OF_THE_SERVER = /^(?:08|25|28|3D|3F|40|42|53|55|57|58|F0|XX00[12])/;

/** Whether an error will come again with the same data, and only with them. Errors of our own code count as such. */
export function isCausedByData(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable) return false;
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code !== 'string' || !OF_THE_SERVER.test(code);
}
