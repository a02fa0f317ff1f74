import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { type AgentEvent, storableText } from '@loopwatch/contract';
import { type Copies, type HookAgent, Translator } from '@loopwatch/formats';
import { LRUCache } from 'lru-cache';
import { RecentIds } from '../events/event-counts.ts';
import { limits } from '../events/limits.ts';

const MAX_SESSIONS = 2_000;
const CHUNK_BYTES = 1 << 20;
/** Limits how long a hook waits for a long transcript; the next hook reads on. */
const MAX_BYTES = 64 * CHUNK_BYTES;
const NEWLINE = 0x0a;

/** Where an agent writes its session. */
export interface Transcript {
  readonly sessionId: string;
  readonly agent: Exclude<HookAgent, 'grok' | 'hermes'>;
  readonly path: string;
}

/** The usage that a transcript reports. */
export interface NewUsage {
  /** What has been added since the last hook. */
  readonly events: readonly AgentEvent[];
  /** Whether it was there before this process knew the session: an earlier one may have recorded it. */
  readonly isHistory: boolean;
}

const NOTHING: NewUsage = { events: [], isHistory: false };

/** Reads the usage of model requests, which agents do not tell their hooks, from the transcripts that the hooks name. */
export class TranscriptUsage {
  readonly #readers = new LRUCache<string, TranscriptReader>({ max: MAX_SESSIONS });
  readonly #copies: Copies;

  constructor(copies: Copies) {
    this.#copies = copies;
  }

  /** Never rejects: a transcript that cannot be read, such as one on another machine, reports nothing. */
  async read(transcript: Transcript): Promise<NewUsage> {
    const known = this.#readers.get(transcript.sessionId);
    const reader = known ?? new TranscriptReader(transcript.sessionId, this.#copies);
    this.#readers.set(transcript.sessionId, reader);
    try {
      const events = await reader.next(transcript);
      return { events, isHistory: known === undefined };
    } catch {
      return NOTHING;
    }
  }
}

class TranscriptReader {
  readonly #sessionId: string;
  readonly #copies: Copies;
  #path = '';
  #translator: Translator | undefined;
  /** Ids of the turns that have been reported; transcripts repeat them. */
  readonly #reported = new RecentIds();
  /** Where the first line begins that was not complete yet, or how far a line that is too long was skipped. */
  #offset = 0;
  #isSkipping = false;
  #reading: Promise<readonly AgentEvent[]> = Promise.resolve([]);

  constructor(sessionId: string, copies: Copies) {
    this.#sessionId = sessionId;
    this.#copies = copies;
  }

  /** Hooks of calls at the same time take turns, so that each line is read once. */
  next(transcript: Transcript): Promise<readonly AgentEvent[]> {
    this.#reading = this.#reading.catch(() => []).then(() => this.#read(transcript));
    return this.#reading;
  }

  async #read({ path, agent }: Transcript): Promise<readonly AgentEvent[]> {
    const sessionId = this.#sessionId;
    if (!isAbsolute(path) || !path.endsWith('.jsonl')) return [];
    // Opening a named pipe would wait for its writer.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = await file.stat();
    if (!stat.isFile()) return [];
    // The session has moved to another file, or its file was rewritten.
    if (path !== this.#path || stat.size < this.#offset) {
      this.#path = path;
      this.#offset = 0;
      this.#isSkipping = false;
      this.#translator = undefined;
    }
    const translator = (this.#translator ??= new Translator({
      format: agent,
      session: sessionId,
      // Only these are recorded; what else the transcript has can still be posted by its own session.
      isCopy: (event) => event.type === 'turn_finished' && this.#copies.isCopy(event),
    }));
    const events: AgentEvent[] = [];
    for await (const line of this.#lines(file)) events.push(...translator.read(line).events);
    // The usage of the current turn is known before it ends; its end comes again.
    events.push(...translator.end());
    return events.filter((event) => {
      if (event.type !== 'turn_finished' || storableText(event.sessionId ?? '') !== sessionId) return false;
      if (event.usage === undefined || event.usage === null || typeof event.id !== 'string') return false;
      if (this.#reported.has(event.id)) return false;
      this.#reported.add(event.id);
      return true;
    });
  }

  /** The next complete lines. What follows them is read again by the next hook, so that no memory holds it until then. */
  async *#lines(file: FileHandle): AsyncGenerator<string> {
    let begun: Buffer[] = [];
    let length = 0;
    let position = this.#offset;
    const end = position + MAX_BYTES;
    while (position < end) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, position);
      if (bytesRead === 0) break;
      position += bytesRead;
      const complete = buffer.lastIndexOf(NEWLINE, bytesRead - 1) + 1;
      if (complete > 0) {
        const lines = Buffer.concat([...begun, buffer.subarray(0, complete)])
          .toString('utf8')
          .split('\n');
        yield* (this.#isSkipping ? lines.slice(1) : lines).filter((line) => line !== '');
        this.#isSkipping = false;
        begun = [];
        length = 0;
      }
      length += bytesRead - complete;
      this.#isSkipping ||= length > limits.eventBytes;
      if (this.#isSkipping) begun = [];
      else begun.push(buffer.subarray(complete, bytesRead));
      this.#offset = this.#isSkipping ? position : position - length;
    }
  }
}
