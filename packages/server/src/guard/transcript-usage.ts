import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { type AgentEvent, storableText } from '@loopwatch/contract';
import { type HookAgent, Translator } from '@loopwatch/formats';
import { LRUCache } from 'lru-cache';

const MAX_SESSIONS = 2_000;
const CHUNK_BYTES = 1 << 20;
/** Limits how long a hook waits for a long transcript; the next hook reads on. */
const MAX_BYTES = 64 * CHUNK_BYTES;

/** Where an agent writes its session. */
export interface Transcript {
  readonly sessionId: string;
  readonly agent: HookAgent;
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

  /** Never rejects: a transcript that cannot be read, such as one on another machine, reports nothing. */
  async read(transcript: Transcript): Promise<NewUsage> {
    const known = this.#readers.get(transcript.sessionId);
    const reader = known ?? new TranscriptReader(transcript);
    this.#readers.set(transcript.sessionId, reader);
    try {
      const events = await reader.next();
      return { events, isHistory: known === undefined };
    } catch {
      return NOTHING;
    }
  }
}

class TranscriptReader {
  readonly #transcript: Transcript;
  readonly #translator: Translator;
  /** Ids of the turns that have been reported; transcripts repeat them. */
  readonly #reported = new Set<string>();
  #offset = 0;
  /** The beginning of a line that is not complete yet. */
  #rest = Buffer.alloc(0);
  #reading: Promise<readonly AgentEvent[]> = Promise.resolve([]);

  constructor(transcript: Transcript) {
    this.#transcript = transcript;
    this.#translator = new Translator({ format: transcript.agent, session: transcript.sessionId });
  }

  /** Hooks of calls at the same time take turns, so that each line is read once. */
  next(): Promise<readonly AgentEvent[]> {
    this.#reading = this.#reading.catch(() => []).then(() => this.#read());
    return this.#reading;
  }

  async #read(): Promise<readonly AgentEvent[]> {
    const { path, sessionId } = this.#transcript;
    if (!isAbsolute(path) || !path.endsWith('.jsonl')) return [];
    // Opening a named pipe would wait for its writer.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!(await file.stat()).isFile()) return [];
    const events: AgentEvent[] = [];
    const end = this.#offset + MAX_BYTES;
    while (this.#offset < end) {
      const chunk = await this.#chunk(file);
      if (chunk.length === 0) break;
      const bytes = Buffer.concat([this.#rest, chunk]);
      const complete = bytes.lastIndexOf('\n') + 1;
      this.#rest = bytes.subarray(complete);
      for (const line of bytes.toString('utf8', 0, complete).split('\n'))
        if (line !== '') events.push(...this.#translator.read(line).events);
    }
    // The usage of the current turn is known before it ends; its end comes again.
    events.push(...this.#translator.end());
    return events.filter((event) => {
      if (event.type !== 'turn_finished' || storableText(event.sessionId ?? '') !== sessionId) return false;
      if (event.usage === undefined || event.usage === null || typeof event.id !== 'string') return false;
      if (this.#reported.has(event.id)) return false;
      this.#reported.add(event.id);
      return true;
    });
  }

  async #chunk(file: FileHandle): Promise<Buffer> {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, this.#offset);
    this.#offset += bytesRead;
    return buffer.subarray(0, bytesRead);
  }
}
