// JavaScript, so that Node can load it into a thread without a compiler, both from source and from the build.
import fs from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { pg_trgm as trigrams } from '@electric-sql/pglite/contrib/pg_trgm';

/**
 * Runs the embedded database in a worker thread, because PGlite computes synchronously in the thread that calls it.
 *
 * @typedef {import('./pglite-messages.ts').Request} Request
 * @typedef {import('./pglite-messages.ts').Reply} Reply
 * @typedef {Pick<PGlite, 'query'>} Queryable
 * @typedef {{ readonly tx: Queryable, readonly end: (how: 'commit' | 'rollback') => void, readonly ended: Promise<void> }} Transaction
 */

/**
 * PostgreSQL settings for one client: PGlite's default 160 MB of buffers are allocated at each start and fill up, although the
 * operating system caches the same pages. Statistics of fewer rows are enough, because everything else waits while a table is
 * analyzed: with a million sessions for 0.5 s, not 3.5.
 */
const startParams = [
  ...PGlite.defaultStartParams,
  ...[
    'shared_buffers=16MB',
    'wal_buffers=1MB',
    'temp_buffers=1MB',
    // Enough to group 200,000 incidents in memory; by default they are sorted in a temporary file, which takes twice as long.
    'work_mem=32MB',
    'max_connections=5',
    'default_statistics_target=20',
  ].flatMap((it) => ['-c', it]),
];
/**
 * PGlite has no process that makes checkpoints: PostgreSQL's write-ahead log would grow until the database is closed, and after
 * a crash all of it is read again, at 20 ms of CPU time per MB.
 */
const CHECKPOINT_BYTES = 64 * 1024 * 1024;
const CHECKPOINT_EVERY_MS = 1_000;
const int8 = 20;
const json = new Set([114, 3802]);
/** @param {string} text */
const asText = (text) => text;

const port = parentPort;
if (port === null) throw new Error('The embedded database runs in a thread');

/** @param {Reply} reply */
const post = (reply) => {
  port.postMessage(reply);
};

const { folder } = /** @type {import('./pglite-messages.ts').ThreadData} */ (workerData);
// JSON is sent as text, which is cheaper to transfer than parsed values.
const parsers = { [int8]: Number, ...Object.fromEntries([...json].map((type) => [type, asText])) };
/** @type {Map<number, Transaction>} */
const transactions = new Map();
/** @type {Map<string, () => Promise<void>>} */
const listening = new Map();

// PGlite creates each file as rw-rw-rw-, regardless of the umask; in this thread, only the owner gets access.
const { chmodSync, mkdirSync } = fs;
const forOwner = 0o700;
Object.assign(fs, {
  /** @param {string} path @param {number} mode */
  chmodSync: (path, mode) => {
    chmodSync(path, mode & forOwner);
  },
  /** @param {string} path */
  mkdirSync: (path) => mkdirSync(path, forOwner),
});

/** @type {PGlite} */
let lite;

/**
 * @param {Queryable} on
 * @param {string} sql
 * @param {readonly unknown[]} parameters
 */
async function query(on, sql, parameters) {
  const { rows, fields } = await on.query(sql, [...parameters]);
  return { rows, json: fields.filter(({ dataTypeID }) => json.has(dataTypeID)).map(({ name }) => name) };
}

/**
 * Holds the transaction open until `end` is called.
 *
 * @param {number} number
 * @returns {Promise<void>}
 */
function begin(number) {
  return new Promise((begun, failed) => {
    const ended = lite.transaction(async (tx) => {
      /** @type {'commit' | 'rollback'} */
      const how = await new Promise((end) => {
        transactions.set(number, { tx, end, ended: Promise.resolve().then(() => ended) });
        begun();
      });
      if (how === 'rollback') await tx.rollback();
    });
    ended.catch(failed);
  });
}

/**
 * @param {number} number
 * @param {'commit' | 'rollback'} how
 */
async function end(number, how) {
  const transaction = transactions.get(number);
  transactions.delete(number);
  transaction?.end(how);
  await transaction?.ended;
}

let checkpointAt = 0;

/** Makes a checkpoint when the write-ahead log is long. Call after a change. */
async function boundWriteAheadLog() {
  const now = performance.now();
  if (now < checkpointAt) return;
  checkpointAt = now + CHECKPOINT_EVERY_MS;
  const { rows } = await lite.query(
    'select pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn)::float8 as bytes from pg_control_checkpoint()',
  );
  const [{ bytes }] = /** @type {[{ bytes: number }]} */ (rows);
  if (bytes > CHECKPOINT_BYTES) await lite.query('checkpoint');
}

/** @param {string} channel */
async function listen(channel) {
  listening.set(
    channel,
    await lite.listen(channel, (payload) => {
      post({ kind: 'notice', channel, payload });
    }),
  );
}

/**
 * @param {Request} request
 * @returns {Promise<import('./pglite-messages.ts').Rows | undefined>}
 */
async function answer(request) {
  switch (request.kind) {
    case 'open':
      lite = await PGlite.create(folder, { parsers, startParams, extensions: { pg_trgm: trigrams } });
      return undefined;
    case 'query': {
      const on = request.transaction === undefined ? lite : transactions.get(request.transaction)?.tx;
      if (on === undefined) throw new Error('The transaction has ended');
      return query(on, request.sql, request.parameters);
    }
    case 'begin':
      await begin(request.transaction);
      return undefined;
    case 'commit':
    case 'rollback':
      await end(request.transaction, request.kind);
      // The next request waits for it in the database; an error, as of a full disk, comes to the next change as well.
      boundWriteAheadLog().catch(() => undefined);
      return undefined;
    case 'listen':
      await listen(request.channel);
      return undefined;
    case 'unlisten':
      await listening.get(request.channel)?.();
      listening.delete(request.channel);
      return undefined;
    case 'close':
      await lite.close();
      return undefined;
  }
}

port.on('message', (/** @type {Request & { id: number }} */ request) => {
  answer(request).then(
    (result) => {
      post({ kind: 'answer', id: request.id, result });
    },
    (/** @type {unknown} */ error) => {
      // A clone of an error has lost its own properties.
      const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : null;
      post({ kind: 'failure', id: request.id, error, code });
    },
  );
});
