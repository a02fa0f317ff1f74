import { type AgentEvent, type DetectionInput, detectionSchema, type Verdict } from '@loopwatch/contract';
import type { PureVerdict } from '@loopwatch/detectors';
import { detectionOf, WatchedSession } from '@loopwatch/detectors/internal';
import { describe, expect, test } from 'vitest';
import { analyzer, call, run } from '../../sessions.ts';

const MINUTE = 60_000;

/** A turn with one call, at a minute of the session. */
const turn = (minute: number, usage?: Record<string, number>, costUsd?: number): AgentEvent[] =>
  [
    { type: 'turn_started' },
    call(`tool-${String(minute)}`, { minute }),
    { type: 'tool_result', result: minute },
    { type: 'turn_finished', ...(usage && { usage }), ...(costUsd !== undefined && { costUsd }) },
  ].map((event) => ({ ...event, time: minute * MINUTE }));

const turns = (n: number, usage?: Record<string, number>, costUsd?: number): AgentEvent[] =>
  Array.from({ length: n }, (_, minute) => turn(minute, usage, costUsd)).flat();

/** What is told of a budget: phase, action, percent, sentence. */
const told = (verdicts: readonly (PureVerdict | Verdict)[]) =>
  verdicts
    .filter(({ detector }) => detector === 'budget')
    .map(({ phase, action, count, reason }) => [phase, action, count, reason]);

describe('a budget warns at 80 percent and blocks once it is used up:', () => {
  const thousand = { inputTokens: 900, outputTokens: 100 };
  const cases: [string, DetectionInput['budget'], AgentEvent[], unknown[]][] = [
    [
      'tokens',
      { tokens: 5_000 },
      turns(5, thousand),
      [
        ['opened', 'warn', 80, 'This session has used 80% of its budget: 4,000 of 5,000 tokens'],
        ['escalated', 'block', 100, 'This session has used its budget: 5,000 of 5,000 tokens'],
      ],
    ],
    [
      'dollars reported by the producer',
      { usd: 1 },
      turns(5, undefined, 0.2),
      [
        ['opened', 'warn', 80, 'This session has used 80% of its budget: $0.80 of $1.00'],
        ['escalated', 'block', 100, 'This session has used its budget: $1.00 of $1.00'],
      ],
    ],
    [
      'tool calls, of which the last one may run',
      { calls: 5 },
      turns(5),
      [
        ['opened', 'warn', 80, 'This session has used 80% of its budget: 4 of 5 tool calls'],
        ['escalated', 'block', 100, 'This session has used its budget: 5 of 5 tool calls'],
      ],
    ],
    [
      'minutes',
      { minutes: 10 },
      turns(11),
      [
        ['opened', 'warn', 80, 'This session has used 80% of its budget: 8 of 10 minutes'],
        ['escalated', 'block', 100, 'This session has used its budget: 10 of 10 minutes'],
      ],
    ],
    [
      'one verdict when it is exceeded at once',
      { tokens: 500 },
      turns(1, thousand),
      [['opened', 'block', 200, 'This session has used its budget: 1,000 of 500 tokens']],
    ],
    [
      'no verdict below the limits',
      { tokens: 10_000, calls: 100, minutes: 100, usd: 100 },
      turns(7, thousand),
      [],
    ],
    ['no verdict when switched off', { enabled: false, calls: 2 }, turns(5), []],
    ['no verdict without a limit', { enabled: true }, turns(5), []],
    ['no verdict for a budget that sessions share', { calls: 2, per: 'agent' }, turns(5), []],
  ];
  test.each(cases)('%s', (_, budget, events, expected) => {
    expect(told(run(events, { budget }))).toEqual(expected);
  });
});

test('budget: the most used limit decides, and the evidence lists all limits', () => {
  const [verdict] = run(turns(4, { inputTokens: 10, outputTokens: 0 }), { budget: { calls: 5, tokens: 50 } });
  expect(verdict).toMatchObject({
    kind: 'limit',
    threshold: 100,
    thresholdOrigin: { setting: 'budget.calls', value: 5 },
  });
  expect(verdict?.evidence).toEqual({
    lastAction: 'warn',
    per: 'session',
    uses: [
      { resource: 'calls', used: 4, limit: 5 },
      { resource: 'tokens', used: 30, limit: 50 },
    ],
    unpricedTurns: 3,
  });
});

test('budget: a new prompt does not reset it', () => {
  const prompts = Array.from({ length: 5 }, (_, minute): AgentEvent[] => [
    { type: 'prompt_started', text: `part ${String(minute)}` },
    ...turn(minute),
  ]).flat();
  expect(told(run(prompts, { budget: { calls: 5 } })).map(([phase, action]) => [phase, action])).toEqual([
    ['opened', 'warn'],
    ['escalated', 'block'],
  ]);
});

test('budget: a retried turn still counts, and its incident stays open', () => {
  const usage = { inputTokens: 45, outputTokens: 0 };
  const again: AgentEvent[] = [...turns(2, usage), { type: 'retry' }, ...turn(2, usage)];
  expect(
    told(run(again, { budget: { tokens: 100 } })).map(([phase, action, count]) => [phase, action, count]),
  ).toEqual([
    ['opened', 'warn', 90],
    ['escalated', 'block', 135],
  ]);
});

test('budget: its incident is resolved when the session ends or the budget is raised', () => {
  const budget = { calls: 4 };
  const ended = run([...turns(4), { type: 'session_ended' }], { budget });
  expect(ended.at(-1)).toMatchObject({ phase: 'resolved', outcome: 'ended', action: 'none' });
  const raise: AgentEvent = { type: 'control', set: { 'budget.calls': 5 } };
  expect(told(run([...turns(4), raise, ...turn(4)], { budget })).slice(1)).toEqual([
    ['resolved', 'none', 100, 'This session has used its budget: 4 of 4 tool calls; the budget was raised'],
    ['opened', 'warn', 80, 'This session has used 80% of its budget: 4 of 5 tool calls'],
    ['escalated', 'block', 100, 'This session has used its budget: 5 of 5 tool calls'],
  ]);
});

describe('a decision before a call', () => {
  const after = (n: number) => {
    const session = new WatchedSession('s', detectionOf(detectionSchema.parse({ budget: { calls: 5 } })));
    for (const event of turns(n)) session.push(event);
    return session.decide({ name: 'read_file', args: { path: 'new.ts' } });
  };

  test.each([
    [3, 'allow'],
    [4, 'warn'],
    [5, 'stop'],
  ] as const)('after %i of 5 calls is %s', (n, action) => {
    expect(after(n).action).toBe(action);
  });

  test('names the setting to raise when it denies', () => {
    expect(after(5).guidance).toBe(
      'This session has used its budget: 5 of 5 tool calls. Nothing more runs until budget.calls is raised. ' +
        'Make no more tool calls: say what is done and what is left, and end your turn.',
    );
  });
});

test('budget: a restored session keeps what it has used', () => {
  const settings = { budget: { calls: 5, minutes: 6 } } as const;
  const events = turns(8);
  const whole = analyzer(settings);
  const expected = events.flatMap((event) => whole.push(event).verdicts);
  let session = analyzer(settings);
  const found = events.flatMap((event) => {
    const next = analyzer(settings);
    next.restore(JSON.parse(JSON.stringify(session.snapshot())) as ReturnType<typeof session.snapshot>);
    session = next;
    return session.push(event).verdicts;
  });
  expect(found).toEqual(expected);
  expect(told(found)).not.toEqual([]);
});
