import { type AgentEvent, type DetectionInput, detectionSchema } from '@loopwatch/contract';
import { describe, expect, test } from 'vitest';
import { blockMessage, toolGuidance } from '../../src/detectors/tool-repeat/wording.ts';
import { closingReason } from '../../src/incident/shown-calls.ts';
import { guidanceOf, planDetection, presetDescriptions, stopMessage } from '../../src/internal.ts';
import { text as answer, call, run } from '../sessions.ts';

const { tool } = planDetection(detectionSchema.parse({ preset: 'similar' }));
const { tool: exact } = planDetection(detectionSchema.parse({ preset: 'stream' }));

describe('guidance for a model', () => {
  const text = toolGuidance({ tool: 'search_web', count: 3, reason: '' }, '{"query":"trams"}', tool);
  test.each([
    ['the pattern and its window', /search_web 3 times within 300 seconds with nearly the same arguments/],
    [
      'the advice to check tool, name and arguments',
      /right tool, and that its name and parameters are correct/,
    ],
    ['the advice to stop and think first', /Stop and think before the next call/],
    [
      'the advice to try a different approach after a failure or without progress',
      /failed or returned nothing new, .* try a different approach/,
    ],
    ['the advice to call tools only if needed', /Call a tool only if you need one/],
    ['the attempted call', /search_web with arguments \{"query":"trams"\}/],
    ['the request for one corrected call or an explanation', /one corrected tool call, or explain in text/],
  ])('contains %s', (_, wording) => {
    expect(text).toMatch(wording);
  });
});

describe('the message for a user', () => {
  test.each([
    [tool, "'read' invoked with similar params 3 times within 300s."],
    [exact, "'read' invoked with identical params 3 times in a row."],
  ])('names tool, count and window', (options, wording) => {
    expect(blockMessage({ tool: 'read', count: 3, reason: '' }, options)).toBe(
      `Tool call loop detected: ${wording} Session stopped to prevent unintended looping. ` +
        'Adjust the inputs or try another approach.',
    );
  });
});

describe('the stop message', () => {
  const rest = 'Session stopped to prevent unintended looping. Adjust the inputs or try another approach.';
  const own: DetectionInput = {
    tool_call_loop: { error_messages: { block: 'No.' }, per_tool: { read: { ttl_seconds: 9 } } },
  };
  const named: DetectionInput = {
    tool_call_loop: { error_messages: { block: '{tool}, {other}: {count}. {reason}' } },
  };
  const found = { count: 3, reason: 'As it is.', tool: { name: 'read', signature: 'read:{}' } };
  const repeat = { ...found, kind: 'loop', detector: 'tool-repeat' } as const;
  const cycle = { ...repeat, detector: 'tool-cycle' } as const;
  const chant = { ...repeat, detector: 'content-repeat', tool: null } as const;
  const limit = { ...chant, kind: 'limit', detector: 'turn-limit' } as const;
  const outage = { ...found, kind: 'outage', detector: 'outage' } as const;

  test.each([
    [repeat, {}, `Tool call loop detected: 'read' invoked with identical params 3 times in a row. ${rest}`],
    [
      repeat,
      { tool_call_loop: { per_tool: { read: { ttl_seconds: 9 } } } },
      `Tool call loop detected: 'read' invoked with identical params 3 times within 9s. ${rest}`,
    ],
    [cycle, {}, `Loop detected: As it is. ${rest}`],
    [chant, {}, `Loop detected: As it is. ${rest}`],
    [limit, {}, 'As it is. Send another message to continue, or raise the limit.'],
    [outage, {}, `Outage detected: As it is. ${rest}`],
    [repeat, own, 'No.'],
    [repeat, named, 'read, {other}: 3. As it is.'],
    [cycle, named, 'read, {other}: 3. As it is.'],
    [cycle, own, 'No.'],
    [{ ...cycle, detector: 'stagnation' } as const, own, 'No.'],
    [chant, own, `Loop detected: As it is. ${rest}`],
    [outage, own, `Outage detected: As it is. ${rest}`],
  ])(
    '%#: depends on the kind of verdict, with custom texts for loops of calls only',
    (verdict, settings, message) => {
      const plan = planDetection(detectionSchema.parse({ preset: 'stream', ...settings }));
      expect(stopMessage(verdict, plan)).toBe(message);
    },
  );

  test('has general guidance for a model if the verdict has none', () => {
    const text = guidanceOf({ kind: 'loop', reason: 'The text repeats. ' });
    expect(text.split('\n')).toEqual([
      'The text repeats.',
      expect.stringMatching(/Stop and think.* try a different approach/),
      expect.stringMatching(/Call a tool only if .* explain in text/),
    ]);
  });

  test('tells a model at a limit that no other call helps', () => {
    expect(guidanceOf({ kind: 'limit', reason: 'The prompt had 20 tool calls' })).toBe(
      "The prompt had 20 tool calls. No tool runs before the user's next message. Make no more tool calls: " +
        'say what is done and what is left, and end your turn.',
    );
  });
});

describe('the reason of a verdict of', () => {
  const calls = [0, 1, 2, 3, 4].map((second) => ({ ...call('read', { path: 'a' }), time: second * 1000 }));
  test.each<[DetectionInput, string]>([
    [{ preset: 'stream' }, 'read {"path":"a"} was called 5 times in a row with the same arguments'],
    [
      { preset: 'proxy' },
      'read {"path":"a"} was called 4 times in a row within 120 seconds with the same arguments',
    ],
    [
      { preset: 'similar' },
      'read {"path":"a"} was called 3 times within 300 seconds with the same or nearly the same arguments',
    ],
    [
      { preset: 'similar', tool_call_loop: { ttl_seconds: null } },
      'read {"path":"a"} was called 3 times with the same or nearly the same arguments',
    ],
  ])('%j', (config, reason) => {
    expect(run(calls, config)[0]?.reason).toBe(reason);
  });
});

test.each([
  { mode: 'block', told: [true, false] },
  { mode: 'warn', told: [false, false] },
  { mode: 'chance_then_block', told: [true, true] },
] as const)('guidance on repeated text: depends on the mode ($mode)', ({ mode, told }) => {
  const chant = answer('The sea is a place of beauty and of wonder, always. '.repeat(25));
  const [opened, escalated] = run([chant], { content_loop: { mode } });
  expect([opened, escalated].map((verdict) => verdict?.guidance?.includes('10 times') ?? false)).toEqual(
    told,
  );
});

test.each<[what: string, preset: DetectionInput['preset'], results: unknown]>([
  ['without results', 'stream', undefined],
  ['with results', 'balanced', 'no such file'],
  ['similar', 'similar', undefined],
])('a custom warning names tool, count and reason: %s', (_, preset, result) => {
  const warning = '{tool} ({count}): {reason}. {tool}';
  const calls = Array.from({ length: 6 }, () => [
    call('read', { path: '{count}' }),
    ...(result === undefined ? [] : [{ type: 'tool_result', result, isError: true } as const]),
  ]).flat();
  const [verdict] = run(calls, {
    preset,
    tool_call_loop: { mode: 'chance_then_block', error_messages: { warning } },
  });
  expect(verdict?.guidance).toBe(`read (${String(verdict?.count)}): ${String(verdict?.reason)}. read`);
});

test.each<[what: string, result: unknown, shown: string]>([
  [
    'a failed command',
    { stdout: '', stderr: 'ls: cannot access "x":\nNo such file', interrupted: false },
    ': “ls: cannot access "x": No such file”',
  ],
  ['output before notes', { stdout: 'two passed', stderr: '', interrupted: false }, ': “two passed”'],
  ['a command that says nothing', { stdout: '', stderr: '', interrupted: false }, ''],
  [
    'a file',
    { type: 'text', file: { filePath: '/w/a', content: 'export const a = 1;' } },
    ': “export const a = 1;”',
  ],
  ['plain text', 'no such file', ': “no such file”'],
  ['cut off', { stdout: 'é'.repeat(500), stderr: '' }, ': “é'],
])('a reason shows what the tool said: %s', (_, result, shown) => {
  const steps = Array.from({ length: 4 }, () => [
    call('Bash', { command: 'ls x' }),
    { type: 'tool_result', result } as const,
  ]).flat();
  const { reason = '' } = run(steps, { preset: 'balanced' })[0] ?? {};
  expect(reason).toMatch(/with the same result|failed the same way each time/);
  expect(reason.split(/same result|each time/)[1]).toContain(shown);
  expect(reason).not.toMatch(/stdout|filePath/);
});

test.each([
  ['disabled', /disabled/],
  ['ended', /ended/],
  ['recovered', /retried/],
] as const)('closing reason: explains the outcome %s', (outcome, why) => {
  expect(closingReason(outcome)).toMatch(why);
});

test('presets: each has a description of its own', () => {
  const texts = Object.values(presetDescriptions);
  expect(new Set(texts).size).toBe(texts.length);
});

test.each<[string, AgentEvent[], DetectionInput]>([
  [
    'calls',
    Array.from({ length: 5 }, () => call('read', { path: 'secret-plans.txt' })),
    { preset: 'stream' },
  ],
  [
    'calls with results',
    Array.from({ length: 4 }, () => [
      call('read', { path: 'secret-plans.txt' }),
      { type: 'tool_result', result: 'the secret-plans are these' } satisfies AgentEvent,
    ]).flat(),
    { preset: 'balanced' },
  ],
  [
    'text',
    [answer('The secret-plans are all here, and nothing else is new. '.repeat(40))],
    { preset: 'stream' },
  ],
  [
    'text with little new',
    [answer('The secret-plans are all here, and nothing else is new. '.repeat(40))],
    { preset: 'balanced' },
  ],
])('a verdict on %s contains no text of the agent if text is not stored', (_, events, config) => {
  const shown = run(events, config);
  expect(shown[0]?.reason).toContain('secret-plans');
  const hidden = run(events, { ...config, privacy: { store_text: false } });
  expect(hidden).toHaveLength(shown.length);
  expect(JSON.stringify(hidden)).not.toContain('secret-plans');
});
