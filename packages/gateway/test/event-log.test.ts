import { type AgentEvent, analyzedByHeader, eventSchema, verdictSchema } from '@loopwatch/contract';
import { createSessionAnalyzer } from '@loopwatch/detectors';
import { LogError, type OutputRecord, type RecordSink } from '@loopwatch/log';
import { modelReply, waitFor } from '@loopwatch/testkit';
import { describe, expect, it } from 'vitest';
import { Outbox } from '../src/event-log/outbox.ts';
import { Agent, calls } from './agent.ts';
import { GatewayBench, MemorySink, secretKey } from './harness.ts';

describe('the event log', () => {
  it.each([false, true])(
    'event log: has canonical events and the verdicts of a replay (streamed: %s)',
    async (stream) => {
      await using bench = await GatewayBench.start(
        (request) =>
          modelReply(request, { text: 'I read it.', calls: [{ name: 'read_file', args: { path: 'a' } }] }),
        { 'tool_call_loop.mode': 'chance_then_break' },
      );
      await new Agent(bench, stream, 's-1', 'Read it').turns(4);
      await bench.stop();
      for (const event of bench.events) expect(eventSchema.safeParse(event).success).toBe(true);
      for (const verdict of bench.verdicts) expect(verdictSchema.safeParse(verdict).success).toBe(true);
      const types = bench.events
        .map(({ type }) => type)
        .filter((type, i, all) => type !== 'content' || all[i - 1] !== type);
      const turn = ['turn_started', 'content', 'tool_call_request', 'turn_finished'];
      expect(types).toEqual([
        'prompt_started',
        ...turn,
        'tool_result',
        ...turn,
        'tool_result',
        ...turn,
        'tool_result',
        ...turn,
        // The model was told by the tool, and asked again.
        'tool_result',
        ...turn,
        // The call was denied.
        'tool_result',
      ]);
      expect(bench.verdicts.map(({ phase, action }) => `${String(phase)} ${String(action)}`)).toEqual([
        'opened chance',
        'escalated block',
      ]);
      const analyzer = createSessionAnalyzer({
        preset: 'proxy',
        tool_call_loop: { mode: 'chance_then_break' },
      });
      const again = bench.events.flatMap((event) => analyzer.push(event as AgentEvent));
      const detectedAt = bench.clock.now;
      expect(again.map((verdict) => ({ ...verdict, detectedAt }))).toEqual(bench.verdicts);
      expect(bench.events[0]).toMatchObject({
        sessionId: 's-1',
        text: 'Read it',
        model: 'gpt-5-mini',
        backend: 'openai',
      });
    },
  );

  it('event log: records are keyed by session, marked as judged, without API keys', async () => {
    await using bench = await GatewayBench.start(calls('read_file'));
    await new Agent(bench, false, 's-1').turns(4);
    await bench.stop();
    for (const { topic, key, headers } of bench.sink.records) {
      expect(key).toBe('s-1');
      if (topic === 'test.events') expect(String(headers?.[analyzedByHeader])).toBe('gateway');
    }
    expect(JSON.stringify(bench.sink.records)).not.toContain(secretKey);
  });

  it('event log: gets nothing if publish_events is off', async () => {
    await using bench = await GatewayBench.start(calls('read_file'), { 'gateway.publish_events': false });
    expect((await new Agent(bench, false).turns(4))[3]?.finish).toBe('error');
    await bench.stop();
    expect(bench.sink.records).toEqual([]);
  });

  it('event log: an outage fails no request, records are buffered up to a limit', async () => {
    await using bench = await GatewayBench.start(calls('read_file'), { 'gateway.max_buffered_records': 10 });
    bench.sink.down = new LogError('broker_unreachable', 'no broker answers');
    expect((await new Agent(bench, false).turns(4))[3]?.finish).toBe('error');
    await waitFor(() => bench.texts('warn').some((line) => line.includes('Writing to the event log failed')));
    const metrics = await bench.registry.metrics();
    expect(metrics).toMatch(/loopwatch_gateway_buffered_records ([1-9]|10)\n/);
    expect(metrics).toMatch(/loopwatch_gateway_dropped_records_total [1-9]/);
    const ready = (await (await fetch(`${bench.url}/readyz`)).json()) as object;
    expect(ready).toMatchObject({ status: 'ready', checks: { log: { ok: false } } });
    bench.sink.down = undefined;
    await waitFor(() => bench.texts('info').some((line) => line.includes('again')));
    expect(bench.sink.records.length).toBeGreaterThan(0);
    expect(bench.texts('error')).toEqual([
      'error Dropped events and verdicts: the buffer is full, or the gateway is stopping',
    ]);
  });
});

describe('the outbox', () => {
  it('outbox: is unhealthy until the log has responded', async () => {
    let resolve: () => void = () => undefined;
    const opened = new Promise<void>((done) => {
      resolve = done;
    });
    const sink = Object.assign(new MemorySink(), { open: () => opened });
    const ignored = (): undefined => undefined;
    const outbox = new Outbox({ sink, limit: 9, log: ignored, onPublished: ignored, onDropped: ignored });
    expect(outbox.health).toEqual({ ok: true, detail: 'nothing to write yet' });
    outbox.add([{ topic: 't', key: 'k', value: 'v' }]);
    expect(outbox.health).toEqual({
      ok: false,
      detail: 'event log not connected yet; 1 record buffered',
    });
    resolve();
    await waitFor(() => outbox.health.detail === 'connected');
    await outbox.close(1_000);
  });

  /** Refuses records that are too large. */
  class PickySink extends MemorySink {
    override publish(records: readonly OutputRecord[]): Promise<void> {
      if (records.some(({ value }) => value === 'large'))
        return Promise.reject(new LogError('record_too_large', 'a record is too large'));
      return super.publish(records);
    }
  }
  const make = (sink: RecordSink, limit = 100) => {
    const seen = { published: 0, dropped: 0, lines: [] as string[] };
    const outbox = new Outbox({
      sink,
      limit,
      log: (level, message) => seen.lines.push(`${level} ${message}`),
      onPublished: (records) => {
        seen.published += records;
      },
      onDropped: (records) => {
        seen.dropped += records;
      },
    });
    return { outbox, seen };
  };
  const record = (value: string): OutputRecord => ({ topic: 't', key: 'k', value });

  it('outbox: drops only the record that is too large', async () => {
    const sink = new PickySink();
    const { outbox, seen } = make(sink);
    outbox.add(['a', 'large', 'b'].map(record));
    await outbox.close(1000);
    expect(sink.records.map(({ value }) => value)).toEqual(['a', 'b']);
    expect(seen).toMatchObject({ published: 2, dropped: 1 });
  });

  it('outbox: closes in time during an outage, and logs dropped records', async () => {
    const sink = new MemorySink();
    sink.down = new Error('no');
    const { outbox, seen } = make(sink);
    outbox.add([record('a'), record('b')]);
    await outbox.close(10);
    expect(seen.dropped).toBe(2);
    expect(seen.lines.at(-1)).toContain('Dropped');
  });

  it('outbox: closes in time although a write hangs', async () => {
    const sink = new MemorySink();
    sink.publish = () => new Promise<never>(() => undefined);
    const { outbox, seen } = make(sink);
    outbox.add([record('a'), record('b')]);
    await outbox.close(10);
    expect(seen).toMatchObject({ published: 0, dropped: 2 });
  });

  it('outbox: keeps the order, and the newest records', async () => {
    const sink = new MemorySink();
    sink.down = new Error('no');
    const { outbox, seen } = make(sink, 3);
    for (const value of ['a', 'b', 'c', 'd', 'e']) outbox.add([record(value)]);
    sink.down = undefined;
    await outbox.close(1000);
    expect(sink.records.map(({ value }) => value)).toEqual(['c', 'd', 'e']);
    expect(seen).toMatchObject({ published: 3, dropped: 2 });
  });
});
