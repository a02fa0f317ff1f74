import { type DetectionInput, eventTypes } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import { calls, metric, records, startWorker, topics } from './fakes.ts';

/** The samples of `/metrics` after these events, by what is written before their value. */
async function samplesAfter(
  detection: DetectionInput,
  ...batches: (readonly unknown[])[]
): Promise<Record<string, number>> {
  const { log, registry } = await startWorker(detection, 'silent');
  let first = 0;
  for (const batch of batches) {
    await log.deliver(records(first, batch));
    first += batch.length;
  }
  const lines = (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    lines.map((line) => {
      const space = line.lastIndexOf(' ');
      return [line.slice('loopwatch_'.length, space), Number(line.slice(space + 1))];
    }),
  );
}

const chance: DetectionInput = { tool_call_loop: { max_repeats: 2, mode: 'chance_then_block' } };
const other = calls(1, { name: 'write_file' });
const usage = (tokens: number) => ({
  sessionId: 's-1',
  type: 'turn_finished',
  usage: { inputTokens: tokens, outputTokens: 1 },
});
const dollars = (costUsd: number) => ({ sessionId: 's-1', type: 'turn_finished', costUsd });

describe('worker metrics', () => {
  it('worker metrics: are those of the contract, each with a help text', async () => {
    const { registry } = await startWorker();
    const families = await registry.getMetricsAsJSON();
    const names = families.map(({ name }) => name.replace(/^loopwatch_/, ''));
    expect(names).toEqual(
      expect.arrayContaining([
        'events_total',
        'tool_calls_total',
        'verdicts_total',
        'warnings_total',
        'blocks_total',
        'mitigations_total',
        'incidents_open',
        'incidents_quiet',
        'incidents_oldest_age_seconds',
        'loops_total',
        'wasted_tokens_total',
        'wasted_usd_total',
        'wasted_calls_total',
        'agent_wasted_tokens_total',
        'tool_loops_total',
        'tool_wasted_tokens_total',
        'detection_latency_seconds',
        'batch_duration_seconds',
        'active_sessions',
        'evicted_sessions_total',
        'consumer_lag',
        'dead_letters_total',
        'rebalances_total',
      ]),
    );
    for (const { help } of families) expect(help).toMatch(/^.{10,}\.$/);
  });

  it.each<[string, DetectionInput, unknown[][], Record<string, number>]>([
    [
      'warnings',
      { tool_call_loop: { max_repeats: 2, mode: 'warn' } },
      [calls(4)],
      {
        warnings_total: 2,
        blocks_total: 0,
        wasted_calls_total: 4,
        'incidents_open{detector="tool-repeat"}': 1,
      },
    ],
    [
      'blocks',
      { tool_call_loop: { max_repeats: 2 } },
      [calls(3)],
      { warnings_total: 0, blocks_total: 1, 'incidents_open{detector="tool-repeat"}': 1 },
    ],
    [
      'a used chance',
      chance,
      [calls(2), other],
      {
        warnings_total: 1,
        blocks_total: 0,
        'mitigations_total{outcome="recovered"}': 1,
        'incidents_open{detector="tool-repeat"}': 0,
        wasted_calls_total: 2,
        'verdicts_total{detector="tool-repeat",phase="opened",action="chance"}': 1,
        'verdicts_total{detector="tool-repeat",phase="resolved",action="none"}': 1,
      },
    ],
    [
      'a missed chance, once',
      chance,
      [calls(8), other],
      {
        warnings_total: 1,
        // At 3, because the chance was missed, and at each doubling.
        blocks_total: 3,
        'mitigations_total{outcome="blocked"}': 1,
        'incidents_open{detector="tool-repeat"}': 0,
        wasted_calls_total: 8,
      },
    ],
    [
      'a chance that neither helped nor failed',
      chance,
      [calls(2), [{ sessionId: 's-1', type: 'session_ended' }]],
      { warnings_total: 1, blocks_total: 0, 'incidents_open{detector="tool-repeat"}': 0 },
    ],
    [
      'open incidents of several sessions',
      { tool_call_loop: { max_repeats: 2 } },
      [calls(2), calls(2, { sessionId: 's-2' }), calls(2, { sessionId: 's-3' }), other],
      { 'incidents_open{detector="tool-repeat"}': 2, wasted_calls_total: 6, active_sessions: 3 },
    ],
    [
      'the growth of an incident, once',
      { tool_call_loop: { max_repeats: 2 } },
      [
        [usage(500), ...calls(1), usage(10), ...calls(1), usage(20), ...calls(2)],
        [usage(30), ...calls(4), usage(40), ...calls(1), ...other],
      ],
      // Tokens since the loop began: those known at the last verdict, which came with the other call.
      { wasted_calls_total: 9, wasted_tokens_total: 11 + 21 + 31 + 41 },
    ],
    [
      'dollars once as an incident grows, and none without a price',
      { tool_call_loop: { max_repeats: 2 } },
      [
        [...calls(1), dollars(0.25), ...calls(1), dollars(0.5), ...calls(2)],
        [dollars(1), ...calls(4), ...other],
        [
          ...calls(1, { sessionId: 's-2' }),
          { ...usage(5), sessionId: 's-2' },
          ...calls(3, { sessionId: 's-2' }),
        ],
      ],
      { wasted_usd_total: 1.75 },
    ],
    [
      'unreported tokens as none',
      { tool_call_loop: { max_repeats: 2 } },
      [calls(9)],
      { wasted_tokens_total: 0, wasted_calls_total: 8 },
    ],
    [
      'the incident of an evicted session as closed',
      { tool_call_loop: { max_repeats: 2 }, session: { max_sessions: 1 } },
      [calls(2), calls(1, { sessionId: 's-2' })],
      {
        'incidents_open{detector="tool-repeat"}': 0,
        'evicted_sessions_total{reason="lru"}': 1,
        active_sessions: 1,
      },
    ],
    [
      'an incident ended by a long pause as closed',
      { tool_call_loop: { max_repeats: 2 } },
      [calls(2, { time: 0 }), calls(1, { time: 3_600_001 })],
      { 'incidents_open{detector="tool-repeat"}': 0, active_sessions: 1 },
    ],
    [
      'sessions evicted as idle',
      { session: { idle_seconds: 1 } },
      [calls(1, { time: 0 }), calls(1025, { sessionId: 's-2', time: 2001 })],
      { 'evicted_sessions_total{reason="idle"}': 1, active_sessions: 1 },
    ],
    [
      'each detector by its name',
      { tool_call_loop: { max_repeats: 2 } },
      [calls(2), [{ sessionId: 's-2', type: 'content', text: 'I will try that once more. '.repeat(20) }]],
      { 'incidents_open{detector="tool-repeat"}': 1, 'incidents_open{detector="content-repeat"}': 1 },
    ],
    [
      'duplicates, rejected settings and bad records',
      {},
      [
        calls(3, { id: 'e-1' }),
        [{ sessionId: 's-1', type: 'control', set: { unheard_of: 1 } }],
        ['no json', '[]', '{"type":"content"}', '{"type":"turn_started"}', '{"type":"turn_started"}'],
      ],
      {
        duplicate_events_total: 2,
        refused_settings_total: 1,
        tool_calls_total: 1,
        'dead_letters_total{reason="not_json"}': 1,
        'dead_letters_total{reason="not_an_object"}': 1,
        'dead_letters_total{reason="invalid_event"}': 1,
        'dead_letters_total{reason="missing_session"}': 2,
      },
    ],
  ])('worker metrics: count %s', async (_, detection, batches, expected) => {
    const samples = await samplesAfter(detection, ...batches);
    expect(samples).toMatchObject(expected);
    const outcomes = ['recovered', 'blocked'].map((outcome) => `mitigations_total{outcome="${outcome}"}`);
    for (const outcome of outcomes) expect(samples[outcome]).toBe(expected[outcome]);
  });

  it('worker metrics: one label for each known event type and one for all others', async () => {
    const fields = { name: 'n', text: 't' };
    const known = eventTypes.map((type) => ({ ...fields, sessionId: 's', type }));
    const unknown = Array.from({ length: 500 }, (_, i) => ({ sessionId: 's', type: `made-up-${String(i)}` }));
    const samples = await samplesAfter({}, known, unknown, [{ sessionId: 's', type: '__proto__' }]);
    const types = Object.entries(samples).filter(([sample]) => sample.startsWith('events_total'));
    expect(Object.fromEntries(types)).toEqual({
      ...Object.fromEntries(eventTypes.map((type) => [`events_total{type="${type}"}`, 1])),
      'events_total{type="other"}': 501,
    });
  });

  it('worker metrics: sum up loop usage by agent, model and tool', async () => {
    const first = calls(4, { sessionId: 's-1', agent: 'coder', model: 'm', name: 'read' });
    const second = calls(3, { sessionId: 's-2', agent: 'writer', name: 'grep' });
    const samples = await samplesAfter({ tool_call_loop: { max_repeats: 2 } }, first, second);
    expect(samples).toMatchObject({
      'tool_loops_total{tool="read"}': 1,
      'tool_loops_total{tool="grep"}': 1,
      'agent_wasted_calls_total{agent="coder",model="m"}': samples['tool_wasted_calls_total{tool="read"}'],
      'agent_wasted_calls_total{agent="writer",model="unknown"}':
        samples['tool_wasted_calls_total{tool="grep"}'],
    });
    const byTool = Object.entries(samples).filter(([sample]) => sample.startsWith('tool_wasted_calls'));
    expect(byTool.reduce((sum, [, calls]) => sum + calls, 0)).toBe(samples['wasted_calls_total']);
  });

  it('worker metrics: limit the number of tool labels', async () => {
    const events = Array.from({ length: 60 }, (_, i) =>
      calls(3, { sessionId: `s-${String(i)}`, name: `made-up-${String(i)}` }),
    ).flat();
    const names = Object.keys(await samplesAfter({ tool_call_loop: { max_repeats: 2 } }, events));
    expect(names.filter((name) => name.startsWith('tool_loops_total'))).toHaveLength(21);
    expect(names).toContain('tool_loops_total{tool="other"}');
  });

  it('worker metrics: never have session or incident labels, model and tool only where documented', async () => {
    const events = Array.from({ length: 20 }, (_, i) =>
      calls(3, { sessionId: `session-${String(i)}`, name: `tool-${String(i)}`, model: 'the-model' }),
    ).flat();
    const names = Object.keys(await samplesAfter({ tool_call_loop: { max_repeats: 2 } }, events));
    expect(names.join('\n')).not.toMatch(/session-\d|i-[0-9a-f]{8}/);
    const naming = (part: string) => [
      ...new Set(names.filter((name) => name.includes(part)).map((name) => name.split('{')[0])),
    ];
    expect(naming('the-model').sort()).toEqual([
      'agent_wasted_calls_total',
      'incidents_oldest_age_seconds',
      'loops_total',
    ]);
    expect(naming('tool="tool-').sort()).toEqual(['tool_loops_total', 'tool_wasted_calls_total']);
  });

  it('worker metrics: detection latency runs from record timestamp to committed verdict', async () => {
    const { log, clock, registry } = await startWorker({ tool_call_loop: { max_repeats: 2 } });
    const timestamp = clock.now;
    log.gate = Promise.resolve().then(() => {
      clock.now += 30;
    });
    clock.now += 1200;
    await log.deliver(records(0, calls(4), { timestamp }));
    expect(await metric(registry, 'loopwatch_detection_latency_seconds_count')).toBe(2);
    expect(await metric(registry, 'loopwatch_detection_latency_seconds_sum')).toBeCloseTo(2 * 1.23);
    expect(await metric(registry, 'loopwatch_detection_latency_seconds_bucket{le="1"}')).toBe(0);
    expect(await metric(registry, 'loopwatch_detection_latency_seconds_bucket{le="2.5"}')).toBe(2);
  });

  it('worker metrics: detection latency of a record from the future is 0', async () => {
    const { log, clock, registry } = await startWorker({ tool_call_loop: { max_repeats: 2 } });
    await log.deliver(records(0, calls(2), { timestamp: clock.now + 5000 }));
    expect(await metric(registry, 'loopwatch_detection_latency_seconds_sum')).toBe(0);
  });

  it('worker metrics: report lag by partition, and rebalances', async () => {
    const { log, registry } = await startWorker();
    log.assignment(2, { arrived: 2, left: 0 });
    await log.deliver(records(0, calls(1)), { partition: 0, lag: 500 });
    await log.deliver(records(0, calls(1)), { partition: 1, lag: 3 });
    await log.deliver(records(1, calls(1)), { partition: 0, lag: 499 });
    log.assignment(1, { arrived: 0, left: 1 });
    log.crash(1);
    const lag = (partition: number) =>
      metric(registry, `loopwatch_consumer_lag{topic="${topics.events}",partition="${String(partition)}"}`);
    expect([await lag(0), await lag(1)]).toEqual([499, undefined]);
    expect(await metric(registry, 'loopwatch_rebalances_total')).toBe(2);
    expect(await metric(registry, 'loopwatch_batch_duration_seconds_count')).toBe(3);
    expect(await metric(registry, 'loopwatch_evicted_sessions_total{reason="partition_lost"}')).toBe(1);
  });

  it('worker metrics: a failed batch counts only once committed', async () => {
    const { log, registry } = await startWorker({ tool_call_loop: { max_repeats: 2 } });
    log.gate = Promise.reject(new Error('away'));
    await expect(log.deliver(records(0, calls(2)), { lag: 7 })).rejects.toThrow('away');
    expect(await metric(registry, 'loopwatch_blocks_total')).toBe(0);
    expect(await metric(registry, 'loopwatch_incidents_open{detector="tool-repeat"}')).toBeUndefined();
    expect(await metric(registry, 'loopwatch_detection_latency_seconds_count')).toBe(0);
    log.gate = Promise.resolve();
    await log.deliver(records(0, calls(2)), { lag: 7 });
    expect(await metric(registry, 'loopwatch_blocks_total')).toBe(1);
    expect(await metric(registry, 'loopwatch_incidents_open{detector="tool-repeat"}')).toBe(1);
  });
});
