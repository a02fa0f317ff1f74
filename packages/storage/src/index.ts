export { type RowOf, recordset, upsert } from './bulk.ts';
export { isCausedByData } from './data-error.ts';
export { type Database, type DatabaseLoad, DatabaseUnavailable, type Queryable } from './database.ts';
export { jsonText } from './json-text.ts';
export { openDatabase } from './open-database.ts';
export { makePgliteTemplate } from './pglite-template.ts';
export { probePostgres } from './probe-postgres.ts';
export { removeMessages } from './remove-messages.ts';
export { traceDatabase } from './trace-database.ts';
