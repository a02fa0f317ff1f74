/** One server-sent event. */
export interface SseEvent {
  /** Its bytes, including the blank line that ends it. */
  readonly raw: Buffer;
  /** The `data` lines, joined; empty if there are none. */
  readonly data: string;
}

const LF = 10;
const CR = 13;
const NOTHING = Buffer.alloc(0);

/** Cuts a byte stream into server-sent events, independent of its chunks. Bytes are unchanged. */
export class SseCutter {
  private readonly limit: number;
  private pending: Buffer[] = [];
  private pendingBytes = 0;
  /** Whether the current line has a character besides CR. */
  private inLine = false;
  private hasLines = false;
  /** Whether the previous byte was the stream's first CR: the next byte decides whether CR alone ends lines. */
  private afterFirstCr = false;
  private lineEnd: typeof LF | typeof CR | undefined;

  /** @param limit upper bound of one event, in bytes */
  constructor(limit: number) {
    this.limit = limit;
  }

  /** Whether an incomplete event exceeds the limit; {@link rest} returns its bytes. */
  get isTooLarge(): boolean {
    return this.pendingBytes > this.limit;
  }

  /** The events completed by this chunk. */
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
        // Blank lines between events belong to the next one.
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

  /** The bytes of the incomplete event. */
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

/** A server-sent event with JSON data. */
export function sseText(data: unknown, event?: string): string {
  const head = event === undefined ? '' : `event: ${event}\n`;
  return `${head}data: ${JSON.stringify(data)}\n\n`;
}
