/** One event of a stream of server-sent events. */
export interface SseEvent {
  /** Its bytes, the blank line that ends it included. */
  readonly raw: Buffer;
  /** The `data` lines, put together; empty where there are none. */
  readonly data: string;
}

const LF = 10;
const CR = 13;
const NOTHING = Buffer.alloc(0);

/** Cuts a stream of bytes into server-sent events, however it is chunked. Bytes are kept as they are. */
export class SseCutter {
  private readonly limit: number;
  private pending: Buffer[] = [];
  private pendingBytes = 0;
  /** Whether the line at hand has a character besides CR. */
  private inLine = false;
  private hasLines = false;
  /** Whether the byte before was the stream's first CR: the next one says whether CR ends lines by itself. */
  private afterFirstCr = false;
  private lineEnd: typeof LF | typeof CR | undefined;

  /** @param limit bytes of one event, at most */
  constructor(limit: number) {
    this.limit = limit;
  }

  /** Whether an event that is not complete is larger than one may be; {@link rest} has what has come of it. */
  get isTooLarge(): boolean {
    return this.pendingBytes > this.limit;
  }

  /** The events that are complete with this chunk. */
  take(chunk: Buffer): SseEvent[] {
    const events: SseEvent[] = [];
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (this.lineEnd === undefined) this.settleLineEnd(byte);
      if (byte === this.lineEnd) {
        if (!this.inLine && this.hasLines) {
          events.push(this.event(chunk.subarray(from, at + 1)));
          from = at + 1;
          this.hasLines = false;
        }
        // Blank lines between events belong to the one that follows.
        else if (this.inLine) this.hasLines = true;
        this.inLine = false;
      } else if (byte !== CR && byte !== LF) this.inLine = true;
    }
    if (from < chunk.length) {
      this.pending.push(from === 0 ? chunk : chunk.subarray(from));
      this.pendingBytes += chunk.length - from;
    }
    return events;
  }

  /** What has come of an event that is not complete. */
  rest(): Buffer {
    const rest = this.pending.length === 0 ? NOTHING : Buffer.concat(this.pending);
    this.pending = [];
    this.pendingBytes = 0;
    return rest;
  }

  private settleLineEnd(byte: number | undefined): void {
    if (byte === LF) this.lineEnd = LF;
    else if (this.afterFirstCr) {
      this.lineEnd = CR;
      // The CR before this byte ended a line.
      this.hasLines = this.inLine;
      this.inLine = false;
    } else this.afterFirstCr = byte === CR;
  }

  private event(last: Buffer): SseEvent {
    const raw = this.pending.length === 0 ? last : Buffer.concat([...this.pending, last]);
    this.pending = [];
    this.pendingBytes = 0;
    return { raw, data: dataOf(raw.toString('utf8')) };
  }
}

function dataOf(text: string): string {
  let data: string | undefined;
  for (const line of text.split(text.includes('\n') ? '\n' : '\r')) {
    if (!line.startsWith('data:')) continue;
    const end = line.endsWith('\r') ? line.length - 1 : line.length;
    const value = line.slice(line[5] === ' ' ? 6 : 5, end);
    data = data === undefined ? value : `${data}\n${value}`;
  }
  return data ?? '';
}

/** An event of JSON, as it is written. */
export function sseText(data: unknown, event?: string): string {
  const head = event === undefined ? '' : `event: ${event}\n`;
  return `${head}data: ${JSON.stringify(data)}\n\n`;
}
