import { eventTime, type KnownEvent } from '@loopwatch/contract';
import type { SessionItem, SessionOutline } from '@loopwatch/contract/api';
import { type MaskPatterns, maskSecrets, type PriceBook } from '@loopwatch/detectors/internal';
import type { RecordReader } from '@loopwatch/log';
import { isRun, maskStreamed } from './mask-streamed.ts';
import { type SessionRecord, scanForward } from './scan-records.ts';
import { partAt, viewOf } from './session-events.ts';

const MAX_BINS = 240;
const MAX_MATCHES = 200;
/** Records read at once, between which other requests are served. */
const CHUNK_RECORDS = 2_000;
/** Records of all sessions that one outline may read. */
const BUDGET = 400_000;
/** Units shown before and after a match. */
const BEFORE_UNITS = 40;
const AFTER_UNITS = 120;

interface OutlineRequest {
  readonly session: SessionItem;
  readonly query: { readonly part?: number | undefined; readonly q?: string | undefined };
  readonly prices: Pick<PriceBook, 'costOf'>;
  readonly masks: MaskPatterns;
}

interface Bin {
  index: number;
  time: number;
  calls: number;
  failed: number;
  tokens: number;
  usd: number;
}

/** Reads all events of a part of a session once: what they used, in bins, and which of them contain a text. */
export async function sessionOutline(
  reader: RecordReader,
  { session, query, prices, masks }: OutlineRequest,
): Promise<SessionOutline> {
  const part = partAt(session, query.part);
  const { scan, first, end } = await viewOf(reader, session, part, 1);
  const outline = new Outline(prices, query.q?.toLowerCase(), masks);
  let next = first;
  let read = 0;
  while (next < end && read < BUDGET) {
    const chunk = await scanForward(scan, next, Math.min(end, next + CHUNK_RECORDS), Infinity);
    for (const record of chunk.records) outline.add(record);
    read += Math.max(1, chunk.scanned);
    if (chunk.next <= next) break;
    next = chunk.next;
  }
  return { ...outline.result, complete: next >= end };
}

class Outline {
  readonly #prices: Pick<PriceBook, 'costOf'>;
  readonly #wanted: string | undefined;
  readonly #masks: MaskPatterns;
  readonly #known = new Set<string>();
  readonly #matches: SessionOutline['matches'] = [];
  /** Events whose texts may contain a secret together. */
  readonly #run: KnownEvent[] = [];
  #firstOfRun: number | undefined;
  #bins: Bin[] = [];
  /** Events in one bin. */
  #size = 1;
  #events = 0;
  #time = 0;
  #model: string | null = null;
  #isUnpriced = false;

  constructor(prices: Pick<PriceBook, 'costOf'>, wanted: string | undefined, masks: MaskPatterns) {
    this.#prices = prices;
    this.#wanted = wanted;
    this.#masks = masks;
  }

  add({ decoded, timestamp }: SessionRecord): void {
    if (!decoded.ok) return;
    const { id } = decoded.event;
    if (typeof id === 'string') {
      if (this.#known.has(id)) return;
      this.#known.add(id);
    }
    const event = decoded.event as KnownEvent;
    this.#time = eventTime(event, timestamp);
    this.#model = event.model ?? this.#model;
    const bin = this.#bin();
    if (event.type === 'tool_call_request') bin.calls += 1;
    if (event.type === 'tool_result' && event.isError === true) bin.failed += 1;
    if (event.type === 'turn_finished') this.#addUsage(bin, event);
    if (this.#wanted !== undefined && this.#matches.length < MAX_MATCHES) {
      this.#firstOfRun ??= this.#events;
      this.#run.push(event);
      if (isRun(this.#run)) this.#searchRun(this.#wanted);
    }
    this.#events += 1;
  }

  get result(): Omit<SessionOutline, 'complete'> {
    if (this.#wanted !== undefined) this.#searchRun(this.#wanted);
    return {
      events: this.#events,
      bins: this.#bins,
      unpriced: this.#isUnpriced,
      matches: this.#matches,
    };
  }

  /** The bin of the next event; when there are too many, each two become one. */
  #bin(): Bin {
    if (this.#events >= this.#size * MAX_BINS) {
      this.#size *= 2;
      this.#bins = this.#bins.flatMap((bin, i) => (i % 2 === 0 ? [sumOf(bin, this.#bins[i + 1])] : []));
    }
    const last = this.#bins.at(-1);
    if (last !== undefined && this.#events % this.#size !== 0) return last;
    const bin = { index: this.#events, time: this.#time, calls: 0, failed: 0, tokens: 0, usd: 0 };
    this.#bins.push(bin);
    return bin;
  }

  #addUsage(bin: Bin, event: Extract<KnownEvent, { type: 'turn_finished' }>): void {
    const { usage } = event;
    const cost = this.#prices.costOf(event, this.#model);
    if (cost !== undefined) bin.usd += cost;
    else if (usage != null) this.#isUnpriced = true;
    bin.tokens += (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
  }

  #searchRun(wanted: string): void {
    const run = this.#run.splice(0);
    const first = this.#firstOfRun ?? 0;
    this.#firstOfRun = undefined;
    // Masking takes much longer than looking for a word.
    if (!run.some((event) => contains(event, wanted))) return;
    maskStreamed(run, this.#masks).forEach((event, i) => {
      if (this.#matches.length < MAX_MATCHES && contains(event, wanted))
        this.#match(event, first + i, wanted);
    });
  }

  #match(event: KnownEvent, index: number, wanted: string): void {
    // What is masked cannot be searched for.
    const shown = maskSecrets(textOf(event), this.#masks);
    const at = shown.toLowerCase().indexOf(wanted);
    if (at === -1) return;
    const from = Math.max(0, at - BEFORE_UNITS);
    this.#matches.push({
      index,
      text: shown
        .slice(from, at + wanted.length + AFTER_UNITS)
        .replace(/\s+/g, ' ')
        .toWellFormed(),
    });
  }
}

function sumOf(a: Bin, b: Bin | undefined): Bin {
  if (b === undefined) return a;
  const { index, time } = a;
  return {
    index,
    time,
    calls: a.calls + b.calls,
    failed: a.failed + b.failed,
    tokens: a.tokens + b.tokens,
    usd: a.usd + b.usd,
  };
}

function contains(event: KnownEvent, wanted: string): boolean {
  return textOf(event).toLowerCase().includes(wanted);
}

/** What an event says, calls or returns. */
function textOf(event: KnownEvent): string {
  switch (event.type) {
    case 'prompt_started':
    case 'content':
    case 'thought':
      return event.text ?? '';
    case 'tool_call_request':
      return `${event.name} ${argumentsText(event.args)}`;
    case 'tool_result':
      return jsonOf(event.result);
    default:
      return '';
  }
}

function argumentsText(args: unknown): string {
  if (typeof args !== 'object' || args === null) return jsonOf(args);
  return Object.values(args).map(jsonOf).join('  ');
}

function jsonOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined ? '' : JSON.stringify(value);
}
