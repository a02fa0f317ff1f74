import type { AgentEvent, DetectionInput } from '@loopwatch/contract';
import { describe, expect, test } from 'vitest';
import { createSessionAnalyzer, createToolCallTracker } from '../../src/index.ts';
import { reportOf } from '../../src/session/session-report.ts';
import type { SessionSnapshot } from '../../src/session/session-snapshot.ts';
import { shown } from '../evidence.ts';
import { analyzer, call, run, text } from '../sessions.ts';

const same = (): AgentEvent => call('read', { path: 'a' });

describe('event ids, indexes and times', () => {
  test('default to # and the index as id, and the time of the previous event, initially 0', () => {
    const events: AgentEvent[] = [same(), same(), { ...same(), time: 5000 }, same(), { ...same(), id: null }];
    const [verdict] = run(events);
    expect(verdict).toMatchObject({ eventId: '#4', eventIndex: 4, time: 5000, count: 5 });
    expect(shown(verdict, 'calls')).toMatchObject([
      { eventId: '#0', time: 0 },
      { eventId: '#1', time: 0 },
      { eventId: '#2', time: 5000 },
      { eventId: '#3', time: 5000 },
      { eventId: '#4', time: 5000 },
    ]);
  });

  test('a time can be RFC 3339, and an invalid one falls back to the given time', () => {
    const session = analyzer();
    session.push({ type: 'turn_started', time: '2026-01-02T03:04:05+01:00' });
    expect(session.lastTime).toBe(Date.UTC(2026, 0, 2, 2, 4, 5));
    session.push({ type: 'turn_started', time: 'soon' }, 1_800_000_000_000);
    expect(session.lastTime).toBe(1_800_000_000_000);
  });

  test('the index counts unknown types and control events, but no duplicates', () => {
    const events: AgentEvent[] = [
      { type: 'something_new' },
      { type: 'control', set: { 'tool_call_loop.max_repeats': 2 } },
      { ...same(), id: 'a' },
      { ...same(), id: 'a' },
      { ...same(), id: 'b' },
    ];
    expect(run(events)).toMatchObject([{ eventId: 'b', eventIndex: 3, count: 2, threshold: 2 }]);
  });
});

test('sessions without settings of their own share the plan, restored or not', () => {
  const session = analyzer();
  const shared = session.currentPlan;
  const restored = analyzer();
  restored.restore(JSON.parse(JSON.stringify(session.snapshot())) as SessionSnapshot);
  expect(restored.currentPlan).toBe(restored.detection.plan);
  session.push({ type: 'control', set: { 'tool_call_loop.max_repeats': 2 } });
  expect(session.currentPlan).not.toBe(shared);
  session.push({ type: 'control', unset: ['tool_call_loop.max_repeats'] });
  expect(session.currentPlan).toBe(shared);
});

describe('a repeated event id', () => {
  test.each([0, 1, 63, 64, 65, 200, 5_000])('after %i other events is a duplicate', (after) => {
    for (const before of [0, 1, 5, 97]) {
      const session = analyzer();
      const isKnown = (id: string | null) => session.push({ type: 'turn_started', id }).isDuplicate;
      for (let n = 0; n < before; n += 1) isKnown(`before-${String(n)}`);
      isKnown('again');
      for (let n = 0; n < after; n += 1) expect(isKnown(n % 3 === 0 ? null : `id-${String(n)}`)).toBe(false);
      const restored = analyzer();
      restored.restore(session.snapshot());
      expect(restored.push({ type: 'turn_started', id: 'again' }).isDuplicate).toBe(true);
      expect(isKnown('again')).toBe(true);
    }
  });

  test('is not seen in ten thousand similar ids', () => {
    const session = analyzer();
    for (let n = 0; n < 10_000; n += 1) {
      expect(session.push({ type: 'turn_started', id: `s-${String(n)}` }).isDuplicate).toBe(false);
    }
  });
});

describe('a session pause', () => {
  const hour = 3_600_000;
  test.each([
    { pause: hour, count: 5 },
    { pause: hour + 1, count: undefined },
  ])('of $pause ms before the fifth call', ({ pause, count }) => {
    const events = [0, 1, 2, 3, 3 + pause].map((time) => ({ ...same(), time }));
    expect(run(events)[0]?.count).toBe(count);
  });

  test('restarts index and settings', () => {
    const session = analyzer();
    session.push({ type: 'control', set: { enabled: false }, time: 0 });
    const verdicts = [0, 1, 2, 3, 4].flatMap((n) => [
      ...session.push({ ...same(), time: hour + 1 + n }).verdicts,
    ]);
    expect(verdicts).toMatchObject([{ eventIndex: 4, count: 5 }]);
  });

  test('keeps ids known: a repeated event neither counts nor restarts the session', () => {
    const session = analyzer();
    const opened = [0, 1, 2, 3, 4].flatMap((n) => [
      ...session.push({ ...same(), id: `e-${String(n)}`, time: n }).verdicts,
    ]);
    expect(opened).toMatchObject([{ phase: 'opened' }]);
    const again = session.push({ ...same(), id: 'e-0', time: hour + 5 });
    expect([again.isDuplicate, again.before, session.lastTime]).toEqual([true, null, 4]);
    const other = session.push({ ...same(), id: 'e-5', time: hour + 5 });
    expect([other.isDuplicate, session.eventIndex]).toEqual([false, 0]);
    expect(reportOf(other.before!)).toMatchObject({
      incidents: opened.map(({ incidentId }) => ({ id: incidentId, count: 5 })),
      account: { events: 5, toolCalls: 5 },
      lastPosition: -1,
    });
    expect(session.push({ ...same(), id: 'e-0', time: hour + 6 })).toMatchObject({
      isDuplicate: true,
      before: null,
    });
  });

  test('forgets ids that are indexes, as those restart at 0', () => {
    const session = analyzer();
    const given = [
      ['#0', 0],
      ['#0', 1],
      ['#0', hour + 1],
      ['#0', hour + 2],
      ['#1', hour + 2],
    ] as const;
    expect(given.map(([id, time]) => session.push({ type: 'turn_started', id, time }).isDuplicate)).toEqual([
      false,
      true,
      false,
      true,
      false,
    ]);
  });

  test('abandons open incidents, and the same loop later is a new incident', () => {
    const session = analyzer();
    const loop = (from: number) =>
      [0, 1, 2, 3, 4].flatMap((n) => [...session.push({ ...same(), time: from + n }).verdicts]);
    const [first, ...more] = [...loop(0), ...loop(2 * hour)];
    expect(more).toMatchObject([{ phase: 'opened', eventIndex: 4 }]);
    expect(more[0]?.incidentId).not.toBe(first?.incidentId);
    const { before } = session.push({ type: 'session_ended', time: 4 * hour });
    expect(before?.incidents.ids).toEqual([more[0]?.incidentId]);
  });

  test('never results from times that go backwards', () => {
    expect(run([9e9, 8e9, 7e9, 6e9, 5e9].map((time) => ({ ...same(), time })))).toHaveLength(1);
  });
});

describe('a history that is copied into its session four times', () => {
  const hour = 3_600_000;
  const callsOf = (from: number, time: number): AgentEvent[] =>
    Array.from({ length: 40 }, (_, n): AgentEvent[] => {
      const callId = `h${String(from + n)}`;
      const path = `/w/${String(from + n)}`;
      return [
        { ...call('Read', { path }), callId, id: `${callId}c`, time: time + n * 1000 },
        {
          type: 'tool_result',
          callId,
          result: `file ${path}`,
          id: `${callId}r`,
          time: time + n * 1000 + 500,
        },
      ];
    }).flat();
  const history = callsOf(0, 0);
  const copies = [history, history, history, history].flat();
  const counted = (events: readonly AgentEvent[]) => {
    const session = analyzer({ preset: 'balanced' });
    const pushed = events.map((event) => session.push(event));
    const verdicts = pushed.flatMap((one) => one.verdicts);
    const analyzed = pushed.filter(({ isDuplicate }) => !isDuplicate).length;
    return { verdicts, analyzed, index: session.eventIndex, time: session.lastTime };
  };

  test.each([
    ['immediately after the original', [...history, ...copies], { analyzed: 80, index: 79, time: 39_500 }],
    [
      'if the copies have their own times',
      [history, history, history].flatMap((events, n) =>
        events.map((event, at) => ({ ...event, time: n * 90_000 + at * 1000 })),
      ),
      { analyzed: 80, index: 79, time: 79_000 },
    ],
    [
      'before the session continues after a pause of two hours',
      [...history, ...copies, ...callsOf(40, 2 * hour)],
      { analyzed: 160, index: 79, time: 2 * hour + 39_500 },
    ],
    [
      'after the session has continued after a pause',
      [...history, ...callsOf(40, 2 * hour), ...copies, ...callsOf(80, 2 * hour + 60_000)],
      { analyzed: 240, index: 159, time: 2 * hour + 99_500 },
    ],
    [
      'after each of several pauses',
      [0, 1, 2, 3].flatMap((n) => [...history, ...callsOf(40 * (n + 1), (n + 1) * 2 * hour)]),
      { analyzed: 400, index: 79, time: 8 * hour + 39_500 },
    ],
  ])('counts once %s', (_, events, expected) => {
    expect(counted(events)).toEqual({ verdicts: [], ...expected });
  });
});

describe('the life of a loop', () => {
  test.each(['proxy', 'similar'] as const)(
    'shows each call with time, tool and canonical arguments: %s',
    (preset) => {
      const args = ['{"b":1, "a":2}', '{"a":2,"b":1.0}', { b: 1, a: 2 }, { a: 2, b: 1 }];
      const events = args.map((written, n) => ({ ...call('read', written), time: n * 1000 }));
      const [verdict] = run(events, { preset });
      expect(shown(verdict, 'calls')).toEqual(
        args.slice(0, verdict?.count).map((_, n) => ({
          eventIndex: n,
          eventId: `#${String(n)}`,
          time: n * 1000,
          name: 'read',
          arguments: '{"a":2,"b":1}',
          step: n + 1,
        })),
      );
      expect(verdict?.count).toBe(preset === 'proxy' ? 4 : 3);
    },
  );

  test('leads to verdicts at the threshold, its doublings and the end', () => {
    const events = [...Array.from({ length: 45 }, same), call('read', { path: 'b' })];
    const verdicts = run(events);
    expect(verdicts.map(({ phase, count, action }) => [phase, count, action])).toEqual([
      ['opened', 5, 'block'],
      ['escalated', 10, 'block'],
      ['escalated', 20, 'block'],
      ['escalated', 40, 'block'],
      ['resolved', 45, 'none'],
    ]);
    expect(new Set(verdicts.map(({ incidentId }) => incidentId)).size).toBe(1);
    expect(new Set(verdicts.map(({ id }) => id)).size).toBe(5);
    expect(verdicts.at(-1)?.outcome).toBe('recovered');
  });

  test.each([
    { mode: 'warn', actions: ['warn', 'warn', 'none'] },
    { mode: 'block', actions: ['block', 'block', 'none'] },
    { mode: 'break', actions: ['block', 'block', 'none'] },
    { mode: 'chance_then_block', actions: ['chance', 'block', 'block', 'none'] },
    { mode: 'chance', actions: ['chance', 'block', 'block', 'none'] },
  ] as const)('leads to the actions of mode $mode', ({ mode, actions }) => {
    const events = [...Array.from({ length: 10 }, same), { type: 'prompt_started' }];
    const verdicts = run(events, { tool_call_loop: { mode } });
    expect(verdicts.map(({ action }) => action)).toEqual(actions);
    expect(verdicts.map(({ guidance }) => guidance !== undefined)).toEqual(
      actions.map((action) => action === 'chance' || action === 'block'),
    );
    expect(verdicts.at(-1)?.outcome).toBe('ended');
  });

  test('in text: has position and count, and ends after 250 other units', () => {
    const block = 'all work and no play makes a dull boy, again and ag; ';
    const other = Array.from({ length: 100 }, (_, n) => (n * 7919 + 1e6).toString(36)).join(' ');
    const verdicts = run([text(block.repeat(12) + other)]);
    const at = 9 * block.length + 50 - 1;
    expect(verdicts[0]).toMatchObject({ phase: 'opened', count: 10, evidence: { at } });
    const last = verdicts.at(-1);
    expect(last).toMatchObject({ phase: 'resolved', outcome: 'recovered' });
    expect(shown(last, 'at')).toBe(12 * block.length - 1 + 250);
  });

  test('ends when detection is switched off', () => {
    const events = [...Array.from({ length: 5 }, same), { type: 'control', set: { enabled: false } }];
    expect(run(events).at(-1)).toMatchObject({ phase: 'resolved', outcome: 'disabled' });
  });
});

test('createSessionAnalyzer: returns the verdicts of the analyzer, and continues from a snapshot', () => {
  const handle = createSessionAnalyzer({ preset: 'stream' });
  expect(handle.snapshot()).toBeNull();
  for (let n = 0; n < 4; n += 1) expect(handle.push({ ...same(), sessionId: 'x' })).toEqual([]);
  const other = createSessionAnalyzer({ preset: 'stream' });
  other.restore(handle.snapshot());
  expect(other.push(same())).toEqual(handle.push(same()));
  other.restore(null);
  expect(other.push(same())).toEqual([]);
});

describe('a tool name of 100,000 characters', () => {
  const name = 'sk-'.repeat(33_334);

  test('is compared by its first 1,024 in an analyzer', () => {
    const analyzer = createSessionAnalyzer({ preset: 'stream' });
    const verdicts = Array.from({ length: 5 }, (_, n) =>
      analyzer.push({ type: 'tool_call_request', name: `${name}${String(n)}`, args: {} }),
    ).flat();
    expect(verdicts).toMatchObject([{ detector: 'tool-repeat', count: 5 }]);
    expect(JSON.stringify(analyzer.snapshot()).length).toBeLessThan(20_000);
  });

  test('is compared by its first 1,024 in a tracker', () => {
    const tracker = createToolCallTracker();
    const tracked = Array.from({ length: 3 }, (_, n) => tracker.track(`${name}${String(n)}`, {}, n)).at(-1);
    expect(tracked).toMatchObject({ blocked: true, count: 3 });
    expect(tracked?.reason?.length).toBeLessThan(2000);
  });
});

describe('arguments under the names of other APIs', () => {
  test.each(['arguments', 'input'])('tell calls apart in an analyzer: %s', (name) => {
    const analyzer = createSessionAnalyzer({ preset: 'balanced' });
    const verdicts = Array.from({ length: 8 }, (_, n) =>
      analyzer.push({
        type: 'tool_call_request',
        name: 'read',
        [name]: { path: `${'abcdefgh'[n] ?? ''}.ts` },
      }),
    ).flat();
    expect(verdicts).toEqual([]);
  });
});

describe('the configuration', () => {
  const withTime = (ttl: unknown) => ({ tool_call_loop: { ttl_seconds: ttl } }) as DetectionInput;

  test.each([
    ['not a number', Number.NaN],
    ['infinite', Number.POSITIVE_INFINITY],
    ['a text', '60'],
    ['a bigint', 60n],
  ])('is rejected if a number is %s, although others like it were valid', (_, ttl) => {
    for (const valid of [null, 60]) createSessionAnalyzer(withTime(valid));
    expect(() => createSessionAnalyzer(withTime(ttl))).toThrow('ttl_seconds');
  });

  test('is read again if its object was changed', () => {
    const config: DetectionInput = { tool_call_loop: { max_repeats: 3 }, preset: 'stream' };
    createSessionAnalyzer(config);
    config.tool_call_loop = { max_repeats: 2 };
    const session = createSessionAnalyzer(config);
    expect([same(), same()].flatMap((event) => session.push(event))).toHaveLength(1);
  });
});
