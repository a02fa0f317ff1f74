import { type DetectionInput, detectionSchema, verdictSchema } from '@loopwatch/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { InputRecord } from '../../src/records.ts';
import { LoopPipeline } from '../../src/stream/loop-pipeline.ts';
import { record } from './marbles.ts';
import { PipelineTestDriver } from './pipeline-test-driver.ts';
import { call, cut, eager, interleaved, sessions, turns, type Written } from './session-streams.ts';

type Verdicts = PipelineTestDriver['verdicts'];

/** Verdicts of each session, without where its events lie. */
function bySession(verdicts: Verdicts): Record<string, unknown[]> {
  const found: Record<string, unknown[]> = {};
  for (const verdict of verdicts) (found[verdict.sessionId] ??= []).push({ ...verdict, source: undefined });
  return found;
}

async function alone(lists: readonly Written[][]): Promise<Record<string, unknown[]>> {
  const drivers = lists.map((list) => new PipelineTestDriver(eager).write(list));
  return bySession((await Promise.all(drivers)).flatMap(({ verdicts }) => verdicts));
}

const cuts = fc.array(fc.nat(1000), { maxLength: 10 });

describe('the pipeline', () => {
  it('gives the same verdicts for a session, whatever it is interleaved with', async () => {
    let loops = 0;
    await fc.assert(
      fc.asyncProperty(sessions, turns, async (lists, by) => {
        const { verdicts } = await new PipelineTestDriver(eager).write(interleaved(lists, by));
        expect(bySession(verdicts)).toEqual(await alone(lists));
        loops += verdicts.length;
      }),
    );
    // The streams would prove nothing if nothing were found in them.
    expect(loops).toBeGreaterThan(200);
  });

  it('gives the same outcomes, however the records are batched', async () => {
    await fc.assert(
      fc.asyncProperty(sessions, turns, cuts, async (lists, by, places) => {
        const records = interleaved(lists, by);
        const whole = await new PipelineTestDriver(eager).write(records);
        const pieces = new PipelineTestDriver(eager);
        for (const piece of cut(records, places)) await pieces.write(piece);
        expect(pieces.verdicts).toEqual(whole.verdicts);
        expect(pieces.deadLetters).toEqual(whole.deadLetters);
        expect(pieces.events).toEqual(whole.events);
        expect(pieces.duplicates).toBe(whole.duplicates);
      }),
    );
  });

  it('keeps partitions apart, even if they contain the same session', async () => {
    await fc.assert(
      fc.asyncProperty(sessions, turns, cuts, async (lists, by, places) => {
        const together = new PipelineTestDriver(eager);
        const batches = lists.map((list, partition) =>
          cut(list, places).map((piece) => ({ piece, partition })),
        );
        for (const { piece, partition } of interleaved(batches, by)) {
          const nameless = piece.map((event) => ({ ...event, sessionId: 'the same' }));
          await together.write(nameless, { partition });
        }
        for (const [partition, list] of lists.entries()) {
          const own = await new PipelineTestDriver(eager).write(
            list.map((event) => ({ ...event, sessionId: 'the same' })),
            { partition },
          );
          const found = together.verdicts.filter(({ source }) => source?.partition === partition);
          expect(found).toEqual(own.verdicts);
        }
      }),
    );
  });

  it('emits verdicts that match the contract schema', async () => {
    await fc.assert(
      fc.asyncProperty(sessions, turns, async (lists, by) => {
        const { verdicts } = await new PipelineTestDriver(eager).write(interleaved(lists, by));
        for (const verdict of verdicts) expect(verdictSchema.parse(verdict)).toEqual(verdict);
      }),
      { numRuns: 30 },
    );
  });

  it('reports the offset where the loop started and the offset where it was detected', async () => {
    const driver = new PipelineTestDriver({ preset: 'stream', tool_call_loop: { max_repeats: 3 } });
    await driver.write([call('s', { name: 'rm' }), 'no json', call('s')], { partition: 4 });
    await driver.write([call('t'), call('s'), call('s')], { partition: 4 });
    await driver.write([call('s'), call('s'), call('s'), call('s', { name: 'rm' })], { partition: 4 });
    const place = { topic: 'events', partition: 4, firstOffset: '2' };
    expect(driver.verdicts.map(({ phase, source }) => ({ phase, source }))).toEqual([
      { phase: 'opened', source: { ...place, offset: '5' } },
      { phase: 'escalated', source: { ...place, offset: '8' } },
      { phase: 'resolved', source: { ...place, offset: '9' } },
    ]);
  });

  it('reports the offset where a text started to repeat', async () => {
    const driver = new PipelineTestDriver({ ...eager, preset: 'stream' });
    const content = (text: string) => ({ sessionId: 's', type: 'content', text });
    // The beginning is known to 128 units.
    const unlike = Array.from({ length: 256 }, (_, i) => String.fromCharCode(0x4e00 + i)).join('');
    await driver.write([content(unlike), content('on and on '), content('on and on ')]);
    expect(driver.verdicts).toEqual([]);
    await driver.write([content('on and on '), content('on and on ')]);
    expect(driver.verdicts[0]).toMatchObject({ detector: 'content-repeat', source: { firstOffset: '1' } });
  });

  it.each<[string, InputRecord['key'], unknown, string]>([
    ['a tombstone', 's', null, 'empty_value'],
    ['a record that is not JSON', 's', '{', 'not_json'],
    ['a record that is not an object', 's', '[]', 'not_an_object'],
    ['an invalid event', 's', { type: 'tool_call_request' }, 'invalid_event'],
    ['an event without a session', null, { type: 'turn_started' }, 'missing_session'],
  ])('continues after %s', async (_, key, value, reason) => {
    const driver = new PipelineTestDriver({ preset: 'stream', tool_call_loop: { max_repeats: 2 } });
    await driver.write([call('s')]);
    await driver.write([value], { key: key?.toString() ?? null });
    await driver.write([call('s')]);
    expect(driver.deadLetters).toMatchObject([{ reason, record: { offset: 1 } }]);
    expect(driver.verdicts).toMatchObject([{ phase: 'opened', eventIndex: 1, eventId: '#1' }]);
    expect(driver.events).toEqual(['tool_call_request', 'tool_call_request']);
  });

  it('counts every event by type, including unknown types, which have no effect', async () => {
    const driver = new PipelineTestDriver({ preset: 'stream', tool_call_loop: { max_repeats: 2 } });
    await driver.write([call('s'), { sessionId: 's', type: 'unheard_of', any: [1] }, call('s')]);
    expect(driver.events).toEqual(['tool_call_request', 'unheard_of', 'tool_call_request']);
    expect(driver.verdicts).toMatchObject([{ phase: 'opened', count: 2, eventIndex: 2 }]);
  });

  it('counts duplicates separately from events', async () => {
    const driver = new PipelineTestDriver({ preset: 'stream', tool_call_loop: { max_repeats: 2 } });
    const first = call('s', { id: 'e-1' });
    await driver.write([first, first, { ...first, sessionId: 't' }]);
    await driver.write([first]);
    expect([driver.duplicates, driver.events.length, driver.verdicts.length]).toEqual([2, 2, 0]);
  });

  it('reports rejected settings and applies the valid ones', async () => {
    const driver = new PipelineTestDriver({ preset: 'stream' });
    const set = (set: Written) => ({ sessionId: 's', type: 'control', set });
    await driver.write([
      set({ 'tool_call_loop.max_repeats': 2 }),
      set({ 'tool_call_loop.max_repeats': 'many' }),
      set({ 'tool_call_loop.max_repeat': 9 }),
      call('s'),
      call('s'),
    ]);
    expect(driver.refusals).toEqual([
      expect.stringMatching(/^s: tool_call_loop\.max_repeats = "many": /),
      expect.stringMatching(/^s: tool_call_loop\.max_repeat is no setting .*max_repeats\?$/),
    ]);
    expect(driver.verdicts).toMatchObject([{ phase: 'opened', threshold: 2 }]);
    expect(driver.events).toHaveLength(5);
  });

  it.each<[string, DetectionInput, (driver: PipelineTestDriver) => Promise<unknown>]>([
    ['a long pause', {}, (driver) => driver.write([call('s', { time: 3_600_002 })])],
    ['an eviction', { session: { max_sessions: 1 } }, (driver) => driver.write([call('t')])],
    ['a lost partition', {}, (driver) => Promise.resolve(driver.lose(0))],
  ])('reports incidents abandoned because of %s', async (_, config, happening) => {
    const driver = new PipelineTestDriver({ ...config, tool_call_loop: { max_repeats: 2 } });
    await driver.write([call('s', { time: 0 }), call('s', { time: 1 })]);
    expect(driver.abandoned).toEqual([]);
    await happening(driver);
    expect(driver.abandoned).toEqual(driver.verdicts.map(({ incidentId }) => incidentId));
    await driver.write([call('s', { time: 3_600_003 }), call('s', { time: 3_600_004 })]);
    expect(driver.verdicts.map(({ phase }) => phase)).toContain('opened');
    expect(new Set(driver.verdicts.map(({ incidentId }) => incidentId)).size).toBe(2);
  });

  it('starts without sessions in a partition that is reassigned', async () => {
    const driver = new PipelineTestDriver({ preset: 'stream', tool_call_loop: { max_repeats: 2 } });
    await driver.write([call('s')], { partition: 1 });
    await driver.write([call('t')], { partition: 2 });
    driver.lose(1);
    expect(driver.activeSessions).toBe(1);
    expect(driver.evictions).toEqual(['partition_lost']);
    await driver.write([call('s')], { partition: 1 });
    await driver.write([call('t')], { partition: 2 });
    expect(driver.verdicts.map(({ sessionId }) => sessionId)).toEqual(['t']);
  });

  it('frees idle sessions at the end of a batch', async () => {
    const driver = new PipelineTestDriver({ preset: 'stream', session: { idle_seconds: 1 } });
    await driver.write([call('idle', { time: 0 })]);
    await driver.write(Array.from({ length: 1025 }, () => call('busy', { time: 2001 })));
    expect(driver.evictions).toEqual(['idle']);
    expect(driver.activeSessions).toBe(1);
  });

  it.each<[string, number | null, number]>([
    ['its record’s timestamp', 5000, 5000],
    ['the previous event of its session if the record has none', null, 7],
  ])('takes the time of an event without one from %s', async (_, timestamp, expected) => {
    const driver = new PipelineTestDriver({ preset: 'stream', tool_call_loop: { max_repeats: 2 } });
    await driver.write([call('s', { time: 7 }), call('s')], { timestamp });
    expect(driver.verdicts).toMatchObject([{ time: expected }]);
  });
});

describe('a batch', () => {
  const pipeline = () =>
    new LoopPipeline(detectionSchema.parse({ preset: 'stream', tool_call_loop: { max_repeats: 2 } }));
  const batch = (first: number, ...values: unknown[]) => values.map((value, i) => record(first + i, value));

  it('is not analyzed before it is subscribed to', () => {
    const loops = pipeline();
    const outcomes$ = loops.partition({ topic: 'events', partition: 0 }).process(batch(0, call('s')));
    expect(loops.activeSessions).toBe(0);
    outcomes$.subscribe();
    expect(loops.activeSessions).toBe(1);
  });

  it('can interleave with batches of another partition', () => {
    const loops = pipeline();
    const partitions = [0, 1].map((partition) => loops.partition({ topic: 'events', partition }));
    const found: string[] = [];
    for (const [partition, first] of [
      [0, 0],
      [1, 0],
      [0, 1],
      [1, 1],
    ] as const) {
      partitions[partition]!.process(batch(first, call('s'))).subscribe((outcome) => {
        if (outcome.type === 'verdict') found.push(JSON.stringify(outcome.verdict.source));
      });
    }
    const source = { topic: 'events', firstOffset: '0', offset: '1' };
    expect(found.map((text) => JSON.parse(text) as unknown)).toEqual([
      { ...source, partition: 0 },
      { ...source, partition: 1 },
    ]);
  });
});
