import { detectionSchema, type ThresholdOrigin } from '@loopwatch/contract';
import type { SettingKey } from '@loopwatch/contract/api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { connectionMethods } from '../src/connect/connection-methods.ts';
import { messagesBetween, positionOf } from '../src/incident/agent-messages.ts';
import { callLabels, loopSpan, loopStart, sessionMarks } from '../src/incident/session-marks.ts';
import { settingLink, thresholdText, toolSettingLink } from '../src/incident/threshold.ts';
import { isInLoop, toBlocks } from '../src/session/blocks.ts';
import { hasLater, withTail } from '../src/session/use-events.ts';
import { activityOf } from '../src/sessions/activity.ts';
import { check } from '../src/settings/value.ts';
import { analyze } from '../src/tuning/analyze.ts';
import { modelOverrides, serverValues, toConfig } from '../src/tuning/config.ts';
import { score } from '../src/tuning/score.ts';
import { labelsOf } from '../src/tuning/use-recordings.ts';
import { events, incident, NOW, row, settingKey } from './rows.ts';

it('connectionMethods: name this server, and the token only if logins are required', () => {
  const origin = 'https://loops.example.com';
  for (const hasLogin of [false, true]) {
    const ways = connectionMethods({ origin, hasLogin, topic: null });
    const own = ways.filter(({ id }) => !['kafka', 'gateway', 'scan', 'library'].includes(id));
    expect(own.map(({ id }) => id)).toEqual(['curl', 'hooks', 'guard', 'http', 'otel', 'stream']);
    for (const { command } of own) {
      expect(command).toContain(origin);
      expect(command.includes('LOOPWATCH_INGEST_TOKEN')).toBe(hasLogin);
    }
  }
});

describe('a conversation', () => {
  it('joins text chunks, and assigns results to their calls', () => {
    const blocks = toBlocks(
      events(
        { type: 'prompt_started', text: 'Do it' },
        { type: 'turn_started' },
        { type: 'thought', text: 'Hm' },
        { type: 'content', text: 'I ' },
        { type: 'content', text: 'will' },
        { type: 'tool_call_request', callId: 'a', name: 'ls', args: { path: '.' } },
        { type: 'tool_call_request', callId: 'b', name: 'cat', args: '{}' },
        { type: 'tool_result', callId: 'b', result: 'no such file', isError: true },
        { type: 'tool_result', callId: 'a', result: ['x'] },
        { type: 'turn_started' },
        { type: 'content', text: 'Done' },
        { type: 'session_ended' },
      ),
    );
    expect(blocks.map(({ kind, text, first, last, turn }) => [kind, text, first, last, turn])).toEqual([
      ['prompt', 'Do it', 0, 0, undefined],
      ['thought', 'Hm', 2, 2, 1],
      ['answer', 'I will', 3, 4, 1],
      ['call', '', 5, 8, 1],
      ['call', '', 6, 7, 1],
      ['answer', 'Done', 10, 10, 2],
      ['note', 'Session ended', 11, 11, 2],
    ]);
    expect(blocks[4]?.call).toEqual({
      name: 'cat',
      args: '{}',
      ms: 1,
      result: { text: 'no such file', failed: true },
    });
  });

  it('loses no text, whatever the events', () => {
    const event = fc.oneof(
      fc.record({ type: fc.constantFrom('content', 'thought'), text: fc.string() }),
      fc.record({ type: fc.constantFrom('turn_started', 'retry', 'new_thing', 'tool_result') }),
      fc.record({ type: fc.constant('tool_call_request'), name: fc.string() }),
    );
    fc.assert(
      fc.property(fc.array(event), (list) => {
        const text = list.flatMap((one) => ('text' in one ? [one.text] : [])).join('');
        const shown = toBlocks(events(...list))
          .filter(({ kind }) => kind === 'answer' || kind === 'thought')
          .map((block) => block.text);
        expect(shown.join('')).toBe(text);
      }),
    );
  });

  it.each([
    ['right', NOW],
    ['in 1970', 1_000],
    ['in 2099', Date.UTC(2099, 0, 1)],
  ])('marks the calls of a loop with a clock that is %s', (_, time) => {
    const call = { type: 'tool_call_request', name: 'read_file', time };
    const blocks = toBlocks(events(call, call, { type: 'tool_result', time }, call, call));
    const began = { eventIndex: 1, eventId: 'e-1', time: NOW };
    const loop = row({ began, lastIndex: 3, lastAt: NOW });
    expect(blocks.map((block) => isInLoop(block, loop))).toEqual([false, true, true, false]);
  });

  it('reports unreadable records', () => {
    const [block] = toBlocks([
      { offset: '7', timestamp: 1, eventIndex: null, duplicate: false, event: null, error: 'no JSON' },
    ]);
    expect(block).toMatchObject({ kind: 'unreadable', text: 'no JSON', first: undefined });
  });

  it('becomes marks on a line, with the span of the loop', () => {
    const marks = sessionMarks(
      events({ type: 'prompt_started' }, { type: 'tool_call_request', name: 'ls' }, { type: 'control' }),
    );
    expect(marks.map(({ kind, text }) => [kind, text])).toEqual([
      ['prompt', ''],
      ['call', 'ls'],
    ]);
    const call = { eventIndex: 3, eventId: 'e-3', time: NOW, name: 'ls', arguments: '{}' };
    const evidence = { matching: 'exact', calls: [call] };
    const older = { firstEventIndex: 9, lastEventIndex: 20, lastAt: NOW };
    expect(loopSpan(incident({ ...older, evidence }))).toEqual({ from: 3, to: 20 });
    expect(loopSpan(incident({ ...older, evidence: {} })).from).toBe(9);
    expect(loopSpan(incident({ ...older, evidence: { calls: [{ eventIndex: 3 }] } })).from).toBe(9);
  });

  it('names calls within the line, each once in a row, and none over another', () => {
    const names = ['get_status', 'get_status', 'read', 'a_very_long_tool_name', 'end_status'];
    const marks = sessionMarks(events(...names.map((name) => ({ type: 'tool_call_request', name }))));
    const places = [8, 20, 30, 200, 312];
    const labels = callLabels(marks, (index) => places[index - (marks[0]?.index ?? 0)] ?? 0, 320);
    expect(labels.map(({ name, at }) => [name, at])).toEqual([
      ['get_status', 26],
      ['a_very_long_t…', 200],
      ['end_status', 294],
    ]);
  });

  it('uses the same loop start for calls and text', () => {
    const began = { eventIndex: 2, eventId: 'e', time: NOW - 2_700 };
    const text = incident({
      detector: 'content-repeat',
      evidence: { repeated: 'x' },
      began,
      firstEventIndex: 23,
    });
    expect(loopSpan(text).from).toBe(2);
    expect(loopStart(text)).toMatchObject({ eventIndex: 2, time: NOW - 2_700 });
  });

  it('marks failed calls, and escapes bidirectional control characters in names', () => {
    const marks = sessionMarks(
      events(
        { type: 'tool_call_request', name: 'exe\u202Etxt', callId: 'a' },
        { type: 'tool_call_request', name: 'ls', callId: 'b', args: { path: '.' } },
        { type: 'tool_result', callId: 'b', isError: true, result: 'no such\nfile' },
      ),
    );
    expect(marks.map(({ kind, text, failed }) => [kind, text, failed])).toEqual([
      ['call', 'exe[U+202E]txt', false],
      ['call', 'ls', true],
      ['error', 'tool_result', true],
    ]);
    expect(marks[1]?.details).toBe('{"path":"."} → no such file');
  });

  it('lists the messages within the loop', () => {
    const items = events(
      { type: 'content', text: 'before' },
      { type: 'content', text: 'Let me ' },
      { type: 'content', text: 'see.' },
      { type: 'tool_call_request', name: 'ls' },
      { type: 'thought', text: 'Again.' },
      { type: 'content', text: ' ' },
      { type: 'content', text: 'after' },
    );
    expect(messagesBetween(items, { from: 1, to: 5 })).toEqual([
      { eventIndex: 1, time: NOW + 1, callsBefore: 0, text: 'Let me see.', thought: false },
      { eventIndex: 4, time: NOW + 4, callsBefore: 1, text: 'Again.', thought: true },
    ]);
  });

  it('locates messages between the calls of the loop, if those are loaded', () => {
    const call = { type: 'tool_call_request', name: 'ls' };
    const text = { type: 'content', text: 'Hm' };
    const items = events(call, text, call, text, call, text, call);
    const span = { from: 1, to: 5 };
    const positions = (from: typeof items) =>
      messagesBetween(from, span).map((saying) => positionOf(saying, from, span));
    expect(positions(items)).toEqual(['before call 1', 'between calls 1 and 2', 'after call 2']);
    expect(positions(items.slice(2))).toEqual([undefined, undefined]);
  });
});

describe('the origin of a threshold', () => {
  const setting = 'tool_call_loop.max_repeats';
  const origin = (part: Partial<ThresholdOrigin> = {}): ThresholdOrigin => ({
    setting,
    value: 4,
    scope: 'preset',
    adjustments: [],
    ...part,
  });
  const about = incident({ threshold: 9, tool: { name: 'deploy_status', signature: '' } });

  it.each<[Partial<ThresholdOrigin>, string]>([
    [{}, 'Threshold 9 (preset balanced: 4)'],
    [{ scope: 'server' }, 'Threshold 9 (server setting: 4)'],
    [{ scope: 'model' }, 'Threshold 9 (setting for model gpt-5-mini: 4)'],
    [{ scope: 'session' }, 'Threshold 9 (setting for this session: 4)'],
    [
      { adjustments: ['same-result', 'looks-like-poller'] },
      'Threshold 9 (preset balanced: 4, minus 1 because results are identical, times 3 because it looks like a status query)',
    ],
  ])('describes %j', (part, text) => {
    expect(thresholdText(origin(part), about)).toBe(text);
  });

  it.each([
    ['budget.usd', 0.05, '100% of $0.05'],
    ['budget.usd', 0.0004, '100% of $0.0004'],
    ['budget.minutes', 0.5, '100% of 0.5'],
    ['budget.tokens', 41_200, '100% of 41,200'],
  ])('shows a budget as it is set: %s = %s', (setting, value, basis) => {
    const budget = incident({ detector: 'budget', kind: 'limit', threshold: 100 });
    expect(thresholdText(origin({ setting, value, scope: 'session' }), budget)).toBe(
      `Threshold 100 (setting for this session: ${basis})`,
    );
  });

  it('links to the setting that applies, and to the setting for the tool', () => {
    expect(settingLink(origin(), about)).toEqual({ key: setting });
    expect(settingLink(origin({ scope: 'model' }), about)).toEqual({
      scope: 'model:openai/gpt-5-mini',
      key: setting,
    });
    expect(settingLink(origin({ scope: 'session' }), about)).toEqual({ scope: 'session:s-1', key: setting });
    expect(settingLink(origin({ setting: 'tool_call_loop.per_tool.a.b.max_repeats' }), about)).toEqual({
      key: 'tool_call_loop.per_tool',
    });
    expect(toolSettingLink(origin(), about)).toEqual({
      key: 'tool_call_loop.per_tool',
      set: ['tool_call_loop.per_tool:{"deploy_status":{"max_repeats":4}}'],
    });
    expect(toolSettingLink(origin({ setting: 'tool_cycle.min_repeats' }), about)).toBeUndefined();
  });
});

describe('the tail of a live session', () => {
  const page = (count: number, after: string | null) => ({
    items: events(...Array.from({ length: count }, () => ({ type: 'turn_started' }))),
    before: null,
    after,
    total: count,
    source: { topic: 't', partition: 0, firstOffset: '0', lastOffset: '9' },
    gone: false,
    scanned: count,
    complete: true,
  });
  const known = (count: number, after: string | null) => ({
    pages: [page(count, after)],
    pageParams: [undefined],
  });
  const shape = ({ pages }: ReturnType<typeof withTail>) =>
    pages.map(({ items, after }) => [items.length, after]);

  it.each([
    ['appends new events to the last page', known(3, 'a'), page(2, 'b'), [[5, 'b']]],
    ['advances the cursor without new events', known(3, 'a'), page(0, 'b'), [[3, 'b']]],
    ['stops at the end of the session', known(3, 'a'), page(1, null), [[4, null]]],
    [
      'starts a new page if the last one is full',
      known(490, 'a'),
      page(20, 'b'),
      [
        [490, 'a'],
        [20, 'b'],
      ],
    ],
    ['ignores a response if a later one was applied', known(3, 'z'), page(2, 'b'), [[3, 'z']]],
  ])('%s', (_, before, more, after) => {
    expect(shape(withTail(before, 'a', more))).toEqual(after);
  });

  it.each([
    ['a full page in the middle of the session', 500, 900, true],
    ['a full page at its end', 500, 500, false],
    ['a page with room', 3, 900, false],
  ])('has later events to load: %s', (_, count, total, expected) => {
    expect(hasLater({ ...page(count, 'a'), total })).toBe(expected);
  });
});

describe('session activity', () => {
  it.each<[string, number[] | undefined, number[]]>([
    ['empty for a single summary', undefined, []],
    ['even between two summaries', [1_000, 40], [10, 10, 10, 10]],
    ['lower when later events are slower', [1_000, 90, 2_000, 100], [45, 45, 5, 5]],
    ['not affected by a clock that was set back', [1_000, 40, 500, 60], [10, 10, 10, 10]],
  ])('is %s', (_, progress, expected) => {
    expect(activityOf(progress === undefined ? {} : { progress }, 4)).toEqual(expected);
  });

  it('adds up to the number of events', () => {
    const progress = fc.array(fc.tuple(fc.integer({ min: 1, max: 9_999 }), fc.nat(99)), { minLength: 1 });
    fc.assert(
      fc.property(progress, (steps) => {
        let at = 0;
        let events = 0;
        const told = steps.flatMap(([ms, more]) => [(at += ms), (events += more)]);
        const sum = activityOf({ progress: told }, 12).reduce((all, part) => all + part, 0);
        expect(sum).toBeCloseTo(events, 6);
      }),
    );
  });
});

describe('a setting', () => {
  it.each<[Partial<SettingKey>, string, unknown]>([
    [{}, '7', { value: 7 }],
    [{}, '1', 'error'],
    [{}, '2.5', 'error'],
    [{}, 'many', 'error'],
    [{}, '', 'error'],
    [{ nullable: true }, '', { value: null }],
    [{ type: 'number', min: 0 }, '0.5', { value: 0.5 }],
    [{ type: 'boolean' }, 'false', { value: false }],
    [{ type: 'choice', choices: ['warn', 'block'] }, 'block', { value: 'block' }],
    [{ type: 'choice', choices: ['warn', 'block'] }, 'stop', 'error'],
    [{ type: 'list' }, 'a, b', { value: ['a', 'b'] }],
    [{ type: 'list' }, '["a"]', { value: ['a'] }],
    [{ type: 'list' }, '["a"', 'error'],
    [{ type: 'map' }, '{"ls":{"poller":true}}', { value: { ls: { poller: true } } }],
    [{ type: 'map' }, '[]', 'error'],
  ])('with %j checks "%s"', (part, text, outcome) => {
    const checked = check(settingKey(part), text);
    if (outcome === 'error') expect(checked).toHaveProperty('error');
    else expect(checked).toEqual(outcome);
  });

  it('has an error with key, value and what is allowed', () => {
    expect(check(settingKey(), '1')).toEqual({
      error: 'tool_call_loop.max_repeats: expected a whole number from 2 to 100, got “1”',
    });
  });
});

describe('threshold tuning', () => {
  const call = { type: 'tool_call_request' as const, name: 'ls', args: { path: '.' } };
  const recording = { sessionId: 's', events: Array.from({ length: 6 }, () => call) };

  it('runs the same detectors as the worker', () => {
    expect(analyze(recording, { preset: 'stream' })).toMatchObject([
      { detector: 'tool-repeat', eventIndex: 4, action: 'block' },
    ]);
    expect(analyze(recording, { preset: 'stream', 'tool_call_loop.max_repeats': 7 })).toEqual([]);
    expect(() => analyze(recording, { 'tool_call_loop.max_repeats': 1 })).toThrow();
  });

  it('applies the settings of the session’s model', () => {
    const path = 'tool_call_loop.max_repeats';
    const origin = { tier: 'preset' as const, name: null };
    const server = [
      { path, value: 5, origin },
      { path: 'preset', value: 'stream', origin },
    ];
    const model = [
      { path, value: 7, origin },
      { path: 'preset', value: 'stream', origin },
    ];
    const own = modelOverrides(model, server, [{ path, scopes: ['server', 'model'] } as SettingKey]);
    expect(own).toEqual({ [path]: 7 });
    const of = (name: string) => ({
      sessionId: 's-1',
      events: recording.events.map((event) => ({ ...event, backend: 'openai', model: name })),
    });
    const values = { preset: 'stream' };
    expect(analyze(of('small'), values, { 'openai/small': own })).toEqual([]);
    expect(analyze(of('large'), values, { 'openai/small': own })).toHaveLength(1);
  });

  it('starts from the effective server settings, without preset defaults', () => {
    const effective = [
      { path: 'preset', value: 'balanced', origin: { tier: 'file' as const, name: 'a.yaml' } },
      { path: 'tool_call_loop.max_repeats', value: 4, origin: { tier: 'server' as const, name: null } },
      { path: 'tool_call_loop.ttl_seconds', value: null, origin: { tier: 'server' as const, name: null } },
      { path: 'outage.min_failures', value: 3, origin: { tier: 'preset' as const, name: 'balanced' } },
    ];
    const config = toConfig(serverValues(effective, []));
    expect(config).toEqual({ preset: 'balanced', tool_call_loop: { max_repeats: 4 } });
    expect(detectionSchema.safeParse(config).success).toBe(true);
  });

  it('derives labels from triage as backtests do', () => {
    const judged = (id: string, sessionId: string, status: 'acknowledged' | 'false_positive') =>
      row({
        id,
        sessionId,
        triage: { status, mutedUntil: null, note: null, assignee: null, by: null, at: null, revision: 1 },
      });
    const labels = labelsOf([
      judged('1', 'a', 'false_positive'),
      judged('2', 'a', 'acknowledged'),
      judged('3', 'b', 'false_positive'),
      row({ id: '4', sessionId: 'c' }),
    ]);
    expect([...labels]).toEqual([
      ['a', 'loop'],
      ['b', 'not_loop'],
    ]);
  });

  it('computes precision and recall', () => {
    const [hit] = analyze(recording, { preset: 'stream' });
    const hits = [hit!];
    expect(
      score([
        { label: 'loop', hits },
        { label: 'loop', hits: [] },
        { label: 'not_loop', hits },
        { label: 'not_loop', hits: [] },
        { label: null, hits },
      ]),
    ).toMatchObject({
      incidents: 3,
      flagged: 3,
      truePositives: 1,
      falsePositives: 1,
      falseNegatives: 1,
      trueNegatives: 1,
      precision: 0.5,
      recall: 0.5,
    });
    expect(score([])).toMatchObject({ precision: null, recall: null });
  });
});
