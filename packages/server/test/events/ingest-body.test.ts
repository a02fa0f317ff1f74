import { Copies } from '@loopwatch/formats';
import type { RecordSink } from '@loopwatch/log';
import fc from 'fast-check';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { BufferLimit } from '../../src/events/buffer-limit.ts';
import { EventCounts, RecentIds } from '../../src/events/event-counts.ts';
import { ingestBody, TimeSlicer } from '../../src/events/ingest-body.ts';
import { limits } from '../../src/events/limits.ts';
import { createServerMetrics } from '../../src/metrics/metrics.ts';
import { MemoryLog } from '../memory-log.ts';

const metrics = createServerMetrics(new Registry());
const line = '{"sessionId":"s-1","type":"turn_started","time":1}';

interface IngestOptions {
  readonly isNdjson?: boolean;
  readonly sink?: RecordSink;
  readonly slicer?: TimeSlicer;
  readonly clock?: () => number;
  readonly onHeld?: (bytes: number) => void;
}

/** Takes a body that arrives in these chunks, and tells what became of it. */
async function take(
  chunks: Iterable<Buffer>,
  { isNdjson = false, sink, slicer = new TimeSlicer(), clock = () => 0, onHeld }: IngestOptions = {},
) {
  const log = new MemoryLog();
  const held = new BufferLimit();
  const { reserve, release: free } = held.admit();
  const counts = new EventCounts(new RecentIds(), metrics.postedEvents);
  const { failure, unread } = await ingestBody(arriving(chunks), {
    format: 'auto',
    copies: new Copies(),
    isNdjson,
    slicer,
    clock,
    counts,
    reserve: (bytes) => {
      reserve(bytes);
      onHeld?.(held.bytes);
    },
    sink: sink ?? log.sink(),
    topic: 'events',
    now: () => 5,
    onEvent: () => undefined,
    onAccepted: () => undefined,
  });
  const heldAfter = held.bytes;
  free();
  return {
    answer: counts.toResponse(),
    failure,
    unread: unread && { fromLine: unread.fromLine, status: unread.problem.status },
    records: (log.topics.get('events') ?? []).map(({ value }) => String(value)),
    heldAfter,
    heldByNone: held.bytes,
  };
}

async function* arriving(chunks: Iterable<Buffer>): AsyncGenerator<Buffer> {
  for (const chunk of chunks) {
    await Promise.resolve();
    yield chunk;
  }
}

function* repeated(chunk: Buffer, times: number): Generator<Buffer> {
  for (let n = 0; n < times; n += 1) yield chunk;
}

const parts = fc.constantFrom(
  ...[line, '{"sessionId":"é-2","type":"content","text":"a\\"}\\n"}', '{"type":"content"}', '[1]', '[', ']'],
  ...['{', '}', '{"sessionId":\n"s-3",\n"type":"turn_started"}', `[${line},\n${line}]`, 'x', '', ' \t', ','],
);
const bodies = fc
  .record({
    mark: fc.constantFrom('', '\uFEFF', '\n', ' \r\n'),
    parts: fc.array(parts, { maxLength: 8 }),
    separator: fc.constantFrom('\n', '\r\n', '\n\n', ',', ''),
    end: fc.constantFrom('', '\n', ' '),
  })
  .map(({ mark, parts: of, separator, end }) => Buffer.from(`${mark}${of.join(separator)}${end}`));

it('ingest: chunk boundaries change neither records nor response', async () => {
  const cuts = fc.array(fc.nat(200), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(bodies, cuts, fc.boolean(), async (body, at, isNdjson) => {
      const ends = [...new Set([...at.map((cut) => Math.min(cut, body.length)), body.length])].sort(
        (a, b) => a - b,
      );
      const chunks = ends.map((end, n) => body.subarray(ends[n - 1] ?? 0, end));
      expect(await take(chunks, { isNdjson })).toEqual(await take([body], { isNdjson }));
    }),
    { numRuns: 500 },
  );
});

it('ingest: a declared NDJSON body is read by lines, whatever its first line looks like', async () => {
  for (const first of ['{"torn":', `[${line}`]) {
    const { answer } = await take([Buffer.from(`${first}\n${line}\n`)], { isNdjson: true });
    expect(answer).toMatchObject({ accepted: 1, rejected: [{ line: 1 }] });
  }
  const { answer } = await take([Buffer.from(`[${line},${line}]\n${line}\n`)], { isNdjson: true });
  expect(answer).toMatchObject({ accepted: 3, rejected: [] });
});

it('ingest: backpressure from the log bounds what is read and buffered', async () => {
  const chunk = Buffer.from(`${line}\n`.repeat(1_000));
  let read = 0;
  function* counted(): Generator<Buffer> {
    for (const one of repeated(chunk, 200)) {
      read += one.length;
      yield one;
    }
  }
  let release: () => void = () => undefined;
  let began: () => void = () => undefined;
  let batcher = 0;
  let most = 0;
  const asked = new Promise<void>((resolve) => {
    began = resolve;
  });
  const hold = new Promise<void>((resolve) => {
    release = resolve;
  });
  const sink: RecordSink = {
    open: () => Promise.resolve(),
    close: () => Promise.resolve(),
    publish: () => {
      batcher += 1;
      began();
      return hold;
    },
  };
  const onHeld = (bytes: number): void => {
    most = Math.max(most, bytes);
  };
  const taking = take(counted(), { sink, onHeld });
  await asked;
  for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect([batcher, read <= limits.batchBytes + 2 * chunk.length]).toEqual([1, true]);
  release();
  expect(await taking).toMatchObject({ answer: { accepted: 200_000 }, heldAfter: 0, heldByNone: 0 });
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(limits.batchBytes + chunk.length);
});

it('ingest: an oversized line is buffered up to the event size, rejected, and skipped', async () => {
  let most = 0;
  const onHeld = (bytes: number): void => {
    most = Math.max(most, bytes);
  };
  const endless = repeated(Buffer.alloc(64 * 1024, 'x'), 1_600);
  function* body(): Generator<Buffer> {
    yield Buffer.from(`${line}\n{"text":"`);
    yield* endless;
    yield Buffer.from(`\n${line}`);
  }
  const { answer, heldAfter } = await take(body(), { onHeld });
  expect(answer).toMatchObject({ accepted: 2, rejected: [{ line: 2, code: 'too_large' }] });
  expect(most).toBeLessThanOrEqual(limits.eventBytes + limits.batchBytes);
  expect(heldAfter).toBe(0);
});

it('ingest: long bodies are read in slices and do not block the event loop', async () => {
  const chunks = [Buffer.from(`${line}\n`.repeat(20_000))];
  const slicer = new TimeSlicer();
  let turnsOfOthers = 0;
  let taking = true;
  const others = async (): Promise<void> => {
    for (; taking; turnsOfOthers += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  const other = others();
  const taken = await Promise.all([1, 2].map(() => take(chunks, { slicer })));
  taking = false;
  await other;
  expect(taken.map(({ answer }) => answer.accepted)).toEqual([20_000, 20_000]);
  expect(turnsOfOthers).toBeGreaterThan(4);
});

describe('ingest: a long body', () => {
  const event = JSON.stringify({ sessionId: 's-1', type: 'content', text: 'x'.repeat(10_000) });
  const body = Buffer.from(`${event}\n`.repeat(3_000));
  /** A log that takes so long for each write, and a client that takes so long for each chunk. */
  async function takeSlowly({ writeMs, arrivalMs = 0 }: { writeMs: number; arrivalMs?: number }) {
    let now = 0;
    const log = new MemoryLog();
    log.pause = () => {
      now += writeMs;
      return Promise.resolve();
    };
    function* chunks(): Generator<Buffer> {
      for (let at = 0; at < body.length; at += 65_536) {
        now += arrivalMs;
        yield body.subarray(at, at + 65_536);
      }
    }
    const taken = await take(chunks(), { sink: log.sink(), clock: () => now });
    return { ...taken, now, stored: log.topics.get('events')?.length };
  }

  it('ends with 429 after seconds of slow progress, and says where to go on', async () => {
    const { answer, unread, now, stored } = await takeSlowly({ writeMs: 2_000 });
    expect(unread?.status).toBe(429);
    expect(now).toBeLessThanOrEqual(2 * limits.patienceMs);
    expect(stored).toBeGreaterThan(10);
    expect([answer.accepted, unread?.fromLine]).toEqual([stored, (stored ?? 0) + 1]);
  });

  it('is taken to its end by a log that keeps up, and from a slow client', async () => {
    for (const speed of [{ writeMs: 250 }, { writeMs: 1, arrivalMs: 1_000 }]) {
      const { answer, unread, now } = await takeSlowly(speed);
      expect([answer.accepted, unread]).toEqual([3_000, undefined]);
      expect(now).toBeGreaterThan(limits.patienceMs);
    }
  });
});
