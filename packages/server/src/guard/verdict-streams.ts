import type { IncomingMessage, ServerResponse } from 'node:http';
import { messageOf } from '@loopwatch/contract';
import { type Database, jsonText, recordset } from '@loopwatch/storage';
import type { Logger } from 'pino';
import { Throttle } from '../lib/throttle.ts';
import { MAX_WAITING_BYTES } from '../lib/waiting-bytes.ts';
import { changesChannel } from '../storage/change-lock.ts';
import type { Guard } from './guard.ts';
import { dismissedIncidents } from './open-incidents.ts';

/** Maximum concurrent streams; each is an open connection. */
const MAX_STREAMS = 2_000;
const UPDATE_MS = 100;
const HEARTBEAT_MS = 15_000;
const RETRY_MS = 2_000;
/** Verdicts written to a stream before its client has to read them. */
const PAGE_SIZE = 20;
/** Streams that are read together, so that their verdicts are not in memory all at once. */
const STREAMS_PER_QUERY = 16;
/** Workers' clocks differ: a verdict may be up to this much earlier than one that was sent before it. */
const OVERLAP_MS = 10_000;

export interface VerdictStreamsOptions {
  readonly database: Database;
  readonly guard: Guard;
  readonly logger: Logger;
  /** Whether a client may still read: its login may have ended. */
  readonly mayStay: (request: IncomingMessage) => boolean;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
}

interface Stream {
  readonly sessionId: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Time of the latest verdict that was sent, epoch ms. */
  sentUpTo: number;
  /** Ids and times of sent verdicts that are within the overlap. */
  readonly sent: Map<string, number>;
  /** The latest `stop` and `triage` that were sent, as JSON. */
  stop: string;
  triage: string;
  /** Heartbeats since the client stopped reading. */
  stalledHeartbeats: number;
}

interface StoredVerdict {
  readonly stream: number;
  readonly id: string;
  readonly at: number;
  readonly doc: string;
}

/**
 * Streams sessions as server-sent events: their verdicts, which incidents are dismissed, and whether they are stopped. All are
 * read from the database, whichever server wrote them; a client that reconnects with the id of its last verdict misses none.
 */
export class VerdictStreams {
  readonly #options: VerdictStreamsOptions;
  readonly #streams = new Set<Stream>();
  readonly #updates = new Throttle(UPDATE_MS, () => this.#enqueue());
  #reading: Promise<void> = Promise.resolve();
  #heartbeats: ReturnType<typeof setInterval> | undefined;
  #unlisten: () => Promise<void> = () => Promise.resolve();

  constructor(options: VerdictStreamsOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#unlisten = await this.#options.database.listen(changesChannel, () => {
      if (this.#streams.size > 0) this.#updates.request();
    });
  }

  async stop(): Promise<void> {
    for (const stream of this.#streams) this.#end(stream);
    this.#updates.stop();
    await this.#unlisten();
    await this.#reading;
  }

  /** Ends the streams of logins that have ended. */
  endUnauthorized(): void {
    for (const stream of this.#streams) if (!this.#options.mayStay(stream.request)) this.#end(stream);
  }

  get isFull(): boolean {
    return this.#streams.size >= MAX_STREAMS;
  }

  /** Whether a client, such as a guard, reads the stream of this session. */
  isFollowed(sessionId: string): boolean {
    return [...this.#streams].some((stream) => stream.sessionId === sessionId);
  }

  /** Responds with the stream, starting after `Last-Event-ID` or at the first verdict of the session. */
  async open(request: IncomingMessage, response: ServerResponse, sessionId: string): Promise<void> {
    const lastId = request.headers['last-event-id'];
    const [last] =
      typeof lastId === 'string'
        ? await this.#options.database.query<{ at: number }>(
            'select detected_at as at from verdicts where id = $1 and session_id = $2',
            [lastId, sessionId],
          )
        : [];
    if (response.destroyed) return;
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      // Tells proxies not to buffer.
      'x-accel-buffering': 'no',
    });
    response.write(`retry: ${String(RETRY_MS)}\n\n`);
    const stream: Stream = {
      sessionId,
      request,
      response,
      sentUpTo: last?.at ?? Number.MIN_SAFE_INTEGER,
      sent: new Map(last === undefined ? [] : [[String(lastId), last.at]]),
      stop: '',
      triage: '',
      stalledHeartbeats: 0,
    };
    this.#streams.add(stream);
    this.#heartbeats ??= setInterval(() => this.#sendHeartbeats(), HEARTBEAT_MS);
    response.on('close', () => this.#end(stream));
    response.on('drain', () => {
      stream.stalledHeartbeats = 0;
      this.#updates.request();
    });
    this.#enqueue();
  }

  #end(stream: Stream): void {
    this.#streams.delete(stream);
    stream.response.end();
    if (this.#streams.size > 0) return;
    clearInterval(this.#heartbeats);
    this.#heartbeats = undefined;
  }

  #sendHeartbeats(): void {
    // A mute may have expired, without a stored change.
    this.#updates.request();
    for (const stream of this.#streams) {
      const { request, response } = stream;
      if (!this.#options.mayStay(request)) this.#end(stream);
      else if (!response.writableNeedDrain) response.write(': heartbeat\n\n');
      // The client reconnects and gets what it has missed.
      else if ((stream.stalledHeartbeats += 1) > 1) response.destroy();
    }
  }

  #enqueue(): void {
    this.#reading = this.#reading
      .then(() => this.#send())
      .catch((error: unknown) => {
        this.#options.logger.warn(
          { error: messageOf(error) },
          'Reading verdicts for streams failed; retrying',
        );
        this.#updates.requestAfter(RETRY_MS);
      });
  }

  async #send(): Promise<void> {
    const all = [...this.#streams].filter(({ response }) => !response.writableNeedDrain);
    if (all.length === 0) return;
    const isStopped = await this.#options.guard.readStops();
    for (let at = 0; at < all.length; at += STREAMS_PER_QUERY)
      await this.#sendTo(all.slice(at, at + STREAMS_PER_QUERY), isStopped);
  }

  async #sendTo(streams: readonly Stream[], isStopped: (sessionId: string) => boolean): Promise<void> {
    const sessionIds = [...new Set(streams.map(({ sessionId }) => sessionId))];
    const { database, now } = this.#options;
    const dismissed = await dismissedIncidents(database, sessionIds, now());
    const unsent = await this.#unsent(streams);
    for (const [index, stream] of streams.entries()) {
      // The client may have disconnected meanwhile.
      if (!this.#streams.has(stream)) continue;
      this.#sendStop(stream, isStopped(stream.sessionId));
      this.#sendTriage(stream, dismissed.get(stream.sessionId) ?? []);
      this.#sendVerdicts(
        stream,
        unsent.filter((verdict) => verdict.stream === index),
      );
    }
  }

  #sendStop(stream: Stream, stopped: boolean): void {
    const data = JSON.stringify({ stopped });
    if (stream.stop === data) return;
    stream.stop = data;
    stream.response.write(`event: stop\ndata: ${data}\n\n`);
  }

  #sendTriage(stream: Stream, dismissed: readonly string[]): void {
    const data = JSON.stringify({ dismissed });
    if (stream.triage === data) return;
    stream.triage = data;
    stream.response.write(`event: triage\ndata: ${data}\n\n`);
  }

  #sendVerdicts(stream: Stream, verdicts: readonly StoredVerdict[]): void {
    let isPaused = false;
    for (const { id, at, doc } of verdicts) {
      // The rest is read again once the client has taken these.
      isPaused = stream.response.writableLength > MAX_WAITING_BYTES;
      if (isPaused) break;
      stream.response.write(`event: verdict\nid: ${oneLine(id)}\ndata: ${doc}\n\n`);
      stream.sent.set(id, at);
      stream.sentUpTo = Math.max(stream.sentUpTo, at);
    }
    for (const [id, at] of stream.sent) if (at < stream.sentUpTo - OVERLAP_MS) stream.sent.delete(id);
    // There may be another page.
    if (verdicts.length === PAGE_SIZE && !isPaused) this.#updates.request();
  }

  #unsent(streams: readonly Stream[]): Promise<StoredVerdict[]> {
    const queries = streams.map(({ sessionId, sentUpTo, sent }, stream) => ({
      stream,
      session: sessionId,
      since: sentUpTo - OVERLAP_MS,
      sent: [...sent.keys()],
    }));
    return this.#options.database.query<StoredVerdict>(
      `select r.stream, v.id, v.detected_at as at, d.doc
       from ${recordset({ stream: 'integer', session: 'text', since: 'float8', sent: 'jsonb' })}
       cross join lateral (
         select id, detected_at from verdicts
         where session_id = r.session and detected_at >= r.since and not jsonb_exists(r.sent, id)
         order by detected_at, id limit ${String(PAGE_SIZE)}
       ) v join verdict_docs d on d.id = v.id
       order by r.stream, v.detected_at, v.id`,
      [jsonText(queries)],
    );
  }
}

/** A line break would end the SSE field. */
function oneLine(id: string): string {
  return id.replaceAll(/[\r\n\0]/g, ' ');
}
