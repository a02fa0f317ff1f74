import type { Database } from '../src/index.ts';
import { makePglite } from './databases.ts';

/** The embedded database that this process' tests share. @returns a function that empties and returns it */
export function sharedPglite(): () => Promise<Database> {
  return async () => ({ ...(await makePglite()).database, close: () => Promise.resolve() });
}
