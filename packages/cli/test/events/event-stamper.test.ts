import { type DetectionInput, detectionSchema } from '@loopwatch/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PipelineTestDriver } from '../../../worker/test/stream/pipeline-test-driver.ts';
import { EventStamper } from '../../src/events/event-stamper.ts';

const stampOf = (config: DetectionInput = {}) => new EventStamper(detectionSchema.parse(config));

/** The ids and times of stamped lines. */
function stamped(lines: readonly unknown[], config: DetectionInput = {}): [id: unknown, time: unknown][] {
  const stamp = stampOf(config);
  return lines.map((line) => {
    const result = stamp.stamp(JSON.stringify(line));
    if (!result.ok) throw new Error(result.message);
    const { id, time } = JSON.parse(result.value) as Record<string, unknown>;
    return [id, time];
  });
}

const turn = (fields: Record<string, unknown> = {}) => ({ sessionId: 's', type: 'turn_started', ...fields });

describe('EventStamper', () => {
  it.each<[string, object[], [unknown, unknown][]]>([
    [
      'ids by the index in the session, and 0 as the first time',
      [turn(), turn()],
      [
        ['#0', 0],
        ['#1', 0],
      ],
    ],
    [
      'the time of the previous event of the session',
      [turn({ time: 5 }), turn(), turn({ time: 9 }), turn()],
      [
        ['#0', 5],
        ['#1', 5],
        ['#2', 9],
        ['#3', 9],
      ],
    ],
    [
      'an index that includes events with ids',
      [turn({ id: 'a' }), turn()],
      [
        ['a', 0],
        ['#1', 0],
      ],
    ],
    [
      'an index without duplicates',
      [turn({ id: 'a' }), turn({ id: 'a' }), turn()],
      [
        ['a', 0],
        ['a', 0],
        ['#1', 0],
      ],
    ],
    [
      'an index that includes unknown types',
      [turn({ type: 'unheard_of' }), turn()],
      [
        ['#0', 0],
        ['#1', 0],
      ],
    ],
    [
      'values per session',
      [turn({ time: 5 }), turn({ sessionId: 't' }), turn()],
      [
        ['#0', 5],
        ['#0', 0],
        ['#1', 5],
      ],
    ],
    ['values that are null', [turn({ id: null, time: null })], [['#0', 0]]],
    [
      'nothing when nothing is missing',
      [turn({ id: 'a', time: '2026-01-01T00:00:00Z' })],
      [['a', '2026-01-01T00:00:00Z']],
    ],
    [
      'the time after an ISO date',
      [turn({ time: '1970-01-01T00:00:01Z' }), turn()],
      [
        ['#0', '1970-01-01T00:00:01Z'],
        ['#1', 1000],
      ],
    ],
    [
      'an index from 0 after a long pause',
      [turn({ time: 0 }), turn({ time: 3_600_001 }), turn()],
      [
        ['#0', 0],
        ['#0', 3_600_001],
        ['#1', 3_600_001],
      ],
    ],
  ])('event stamper: fills in %s', (_, lines, expected) => {
    expect(stamped(lines)).toEqual(expected);
  });

  it('event stamper: applies the configured session pause', () => {
    const lines = [turn({ time: 0 }), turn({ time: 60_001 })];
    expect(stamped(lines, { session: { idle_seconds: 60 } })).toEqual([
      ['#0', 0],
      ['#0', 60_001],
    ]);
    expect(stamped(lines, { session: { idle_seconds: 61 } })).toEqual([
      ['#0', 0],
      ['#1', 60_001],
    ]);
  });

  it('event stamper: leaves the rest of the text unchanged', () => {
    const line =
      ' {"type" : "content","sessionId":"s","text":"\\u00e4 1.0 é","big":12345678901234567890, "twice":1,"twice":2 }\r';
    const result = stampOf().stamp(line);
    expect(result).toMatchObject({
      ok: true,
      sessionId: 's',
      time: 0,
      value: `${line.trimEnd().slice(0, -1)},"id":"#0","time":0}`,
    });
    const whole = '{"type":"turn_started","sessionId":"s","id":"a","time":7}\r';
    expect(stampOf().stamp(whole)).toEqual({ ok: true, sessionId: 's', time: 7, value: whole });
  });

  it.each([
    ['invalid JSON', '{', /JSON/],
    ['a number', '7', /expected a JSON object/],
    ['an invalid event', '{"type":"content","sessionId":"s"}', /text: /],
    ['an event without a session', '{"type":"turn_started"}', /sessionId/],
  ])('event stamper: rejects %s without counting it', (_, line, message) => {
    const stamp = stampOf();
    expect(stamp.stamp(line)).toEqual({ ok: false, message: expect.stringMatching(message) });
    expect(stamp.stamp(JSON.stringify(turn()))).toMatchObject({
      value: expect.stringContaining('"id":"#0"'),
    });
  });
});

describe('EventStamper and replay', () => {
  const idle = 60_000;
  const config: DetectionInput = {
    tool_call_loop: { max_repeats: 2, mode: 'chance_then_block' },
    content_loop: { window: 8, min_repeats: 3, max_distance: 40 },
    session: { idle_seconds: idle / 1000 },
  };
  const event = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.constantFrom('ls', 'ls', 'rm').map((name) => ({ type: 'tool_call_request', name })),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom('round and round ', '\n# ').map((text) => ({ type: 'content', text })),
    },
    fc
      .constantFrom('turn_started', 'prompt_started', 'session_ended', 'unheard_of')
      .map((type) => ({ type })),
    fc.constantFrom(2, 3, 'many').map((n) => ({ type: 'control', set: { 'tool_call_loop.max_repeats': n } })),
    fc.constant({ type: 'content', text: 5 }),
  );
  const time = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(undefined, null) },
    { weight: 3, arbitrary: fc.constantFrom(0, 1, 1000) },
    fc.constantFrom(idle, idle + 1, -5),
  );
  const id = fc.constantFrom(undefined, undefined, undefined, null, 'e-1', 'e-2');
  const line = fc.tuple(fc.constantFrom('a', 'b', 'c'), event, time, id, fc.boolean());

  /** Lines of a file: pauses become times per session, some of them ISO dates. */
  const lines = fc.array(line, { minLength: 20, maxLength: 60 }).map((parts) => {
    const clocks = new Map<string, number>();
    return parts.map(([sessionId, fields, pause, ownId, asDate]) => {
      const now = (clocks.get(sessionId) ?? 1_760_000_000_000) + (pause ?? 0);
      clocks.set(sessionId, now);
      const written = typeof pause === 'number' ? (asDate ? new Date(now).toISOString() : now) : pause;
      return JSON.stringify({ sessionId, ...fields, time: written, id: ownId });
    });
  });
  /** Ids of verdicts, by session, in order. */
  const idsOf = ({ verdicts }: PipelineTestDriver) => {
    const ids: Record<string, string[]> = {};
    for (const { id, sessionId, incidentId } of verdicts) (ids[sessionId] ??= []).push(`${incidentId} ${id}`);
    return ids;
  };

  it('event stamper: stamped lines lead to the verdict ids of a replay, in any order of sessions', async () => {
    let found = 0;
    await fc.assert(
      fc.asyncProperty(
        lines,
        fc.shuffledSubarray(['a', 'b', 'c'], { minLength: 3 }),
        fc.nat(),
        async (file, order, now) => {
          const replay = await new PipelineTestDriver(config).write(file, { timestamp: null });
          const stamp = new EventStamper(detectionSchema.parse(config));
          const sent = file.map((text) => stamp.stamp(text)).filter((result) => result.ok);
          const worker = new PipelineTestDriver(config);
          for (const [partition, session] of order.entries()) {
            const own = sent.filter(({ sessionId }) => sessionId === session).map(({ value }) => value);
            // The timestamps of the log, which stamped events ignore.
            await worker.write(own, { partition: partition % 2, key: session, timestamp: now });
          }
          expect(idsOf(worker)).toEqual(idsOf(replay));
          found += replay.verdicts.length;
        },
      ),
    );
    expect(found).toBeGreaterThan(100);
  });
});
