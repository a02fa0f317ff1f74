import type { AgentEvent, DetectionInput } from '@loopwatch/contract';
import { describe, expect, it, test } from 'vitest';
import { call } from '../sessions.ts';
import { letters, type ShortStep, said, times, turns } from '../steps.ts';

const page = 'page 2: red mug, green mug, blue mug';
const noFile = (path: string): ShortStep => ['open', `Error: no such file: '${path}'`, { path }];

describe('tool-repeat with results', () => {
  it.each<{ what: string; steps: ShortStep[]; expected: string[] }>([
    {
      what: 'opens at the third identical result',
      steps: times(3, ['show', page]),
      expected: ['tool-repeat opened chance 3'],
    },
    { what: 'is silent at two', steps: times(2, ['show', page]), expected: [] },
    {
      what: 'opens at the fourth bare ok',
      steps: times(4, ['ping', 'ok']),
      expected: ['tool-repeat opened chance 4'],
    },
    { what: 'is silent at three bare oks', steps: times(3, ['ping', 'ok']), expected: [] },
    {
      what: 'without results: opens at the fourth call, when the next turn starts',
      steps: [...times(4, 'ping'), 'other'],
      expected: ['tool-repeat opened chance 4'],
    },
    {
      what: 'opens at the third identical failure',
      steps: times(3, ['run', 'Error: no rule to make target']),
      expected: ['tool-repeat opened chance 3'],
    },
    {
      what: 'escalates after a missed chance, and when the count doubles',
      steps: times(7, ['show', page]),
      expected: [
        'tool-repeat opened chance 3',
        'tool-repeat escalated block 4',
        'tool-repeat escalated block 6',
      ],
    },
    {
      what: 'recovers when the chance is used',
      steps: [...times(3, ['show', page] as const), ['buy', 'one mug is on its way to you']],
      expected: ['tool-repeat opened chance 3', 'tool-repeat resolved recovered 3'],
    },
    {
      what: 'recovers at a new result, which is progress',
      steps: [...times(3, ['show', page] as const), ['show', 'page 3: white mug']],
      expected: ['tool-repeat opened chance 3', 'tool-repeat resolved recovered 3'],
    },
    {
      what: 'opens at the ninth call of a poller',
      steps: times(9, ['job_status', 'running on host a, queue b']),
      expected: ['tool-repeat opened chance 9'],
    },
    {
      what: 'is silent at eight calls of a poller',
      steps: times(8, ['getJobStatus', 'running on host a, b']),
      expected: [],
    },
    {
      what: 'never counts timeouts',
      steps: times(4, ['fetch', 'Error: timed out']),
      expected: ['outage opened warn 3'],
    },
  ])('$what', ({ steps, expected }) => {
    expect(said(turns(...steps))).toEqual(expected);
  });

  it('takes mode and thresholds from the settings, also per tool', () => {
    const events = turns(...times(6, ['show', page]));
    expect(said(events, { tool_call_loop: { mode: 'warn', max_repeats: 5 } })).toEqual([
      'tool-repeat opened warn 4',
    ]);
    expect(said(events, { tool_call_loop: { per_tool: { show: { max_repeats: 30 } } } })).toEqual([]);
    expect(said(events, { tool_call_loop: { per_tool: { show: { enabled: false } } } })).toEqual([]);
    expect(said(events, { tool_call_loop: { enabled: false } })).toEqual([]);
    expect(said(events, { tool_call_loop: { mode: 'block' } })[0]).toBe('tool-repeat opened block 3');
  });

  it('counts only calls within the time to live, to the millisecond', () => {
    const at = (...seconds: number[]): AgentEvent[] =>
      seconds.flatMap((second): AgentEvent[] => [
        { ...call('show'), time: second * 1000 },
        { type: 'tool_result', result: page, time: second * 1000 + 200 },
      ]);
    const ttl: DetectionInput = { tool_call_loop: { ttl_seconds: 60 } };
    expect(said(at(0, 30, 60), ttl)).toEqual(['tool-repeat opened chance 3']);
    expect(said(at(0, 30, 61), ttl)).toEqual([]);
    expect(said(at(0, 30, 61, 62), ttl)).toEqual(['tool-repeat opened chance 3']);
    expect(said(at(0, 30, 60, 200), ttl)).toEqual([
      'tool-repeat opened chance 3',
      'tool-repeat resolved recovered 3',
    ]);
  });

  it('ends with a prompt, with the session, or by a setting', () => {
    const loop = turns(...times(3, ['show', page]));
    const after = (event: AgentEvent): string | undefined => said([...loop, event]).at(-1);
    expect(after({ type: 'prompt_started' })).toBe('tool-repeat resolved ended 3');
    expect(after({ type: 'session_ended' })).toBe('tool-repeat resolved ended 3');
    expect(after({ type: 'control', set: { enabled: false } })).toBe('tool-repeat resolved disabled 3');
  });
});

describe('tool-cycle', () => {
  it.each([
    { sequence: 'ABABAB', period: 2 },
    { sequence: 'ABCABCABC', period: 3 },
    { sequence: 'AABAABAAB', period: 3 },
    { sequence: 'AABBAABBAABB', period: 4 },
    { sequence: 'ABCDABCDABCD', period: 4 },
    { sequence: 'ABCDEABCDEABCDE', period: 5 },
    { sequence: 'ABCDEFABCDEFABCDEF', period: 6 },
    { sequence: 'XYZABABAB', period: 2 },
  ])('opens in $sequence with period $period', ({ sequence, period }) => {
    expect(said(turns(...letters(sequence)))).toEqual([
      `tool-cycle opened chance 3 period ${String(period)}`,
    ]);
    expect(said(turns(...letters(sequence.slice(0, -1))))).toEqual([]);
  });

  it.each([2, 3, 4, 5, 6, 7, 8])('finds period %i, and keeps one incident for it', (period) => {
    const cycle = 'ABCDEFGH'.slice(0, period);
    const lines = said(turns(...letters(cycle.repeat(6))));
    expect(lines).toEqual([
      `tool-cycle opened chance 3 period ${String(period)}`,
      `tool-cycle escalated block 3 period ${String(period)}`,
      `tool-cycle escalated block 6 period ${String(period)}`,
    ]);
  });

  it.each(['ABAB', 'AABB', 'ABCABC', 'ABCABDABE', 'ABACAD', 'ABABCABAB', 'ABCDEFGHIABCDEFGHI', 'ABBAAB'])(
    'is silent in %s',
    (sequence) => {
      expect(said(turns(...letters(sequence)), { stagnation: { enabled: false } })).toEqual([]);
    },
  );

  it('is broken by a new result anywhere in the cycle', () => {
    const round = (n: number): ShortStep[] => [
      ['edit', 'ok'],
      ['test', `${n} tests of 30 have failed`],
    ];
    expect(said(turns(...[9, 8, 7, 6, 5, 4, 3].flatMap(round)))).toEqual([]);
  });

  it('works without results', () => {
    expect(said(turns('a', 'b', 'a', 'b', 'a', 'b', 'c'))).toEqual(['tool-cycle opened chance 3 period 2']);
  });

  it('leaves identical steps to tool-repeat', () => {
    expect(said(turns(...letters('AAAAAA'))).filter((line) => line.startsWith('tool-cycle'))).toEqual([]);
  });

  it('recovers, and reopens', () => {
    const off = { stagnation: { enabled: false } };
    expect(said(turns(...letters('ABABABCBABABA')), off)).toEqual([
      'tool-cycle opened chance 3 period 2',
      'tool-cycle resolved recovered 3 period 2',
      'tool-cycle opened chance 3 period 2',
    ]);
  });

  it('takes thresholds and mode from the settings', () => {
    const events = turns(...letters('ABABAB'));
    expect(said(events, { tool_cycle: { min_repeats: 2, mode: 'block' } })[0]).toBe(
      'tool-cycle opened block 2 period 2',
    );
    expect(said(events, { tool_cycle: { enabled: false } })).toEqual([]);
    expect(
      said(turns(...letters('ABCABCABC')), { tool_cycle: { max_period: 2 }, stagnation: { enabled: false } }),
    ).toEqual([]);
  });

  it('can be enabled in a preset without it', () => {
    const events = turns(...letters('ABABAB'));
    expect(said(events, { preset: 'stream' })).toEqual([]);
    expect(said(events, { preset: 'stream', tool_cycle: { enabled: true } })).toEqual([
      'tool-cycle opened block 3 period 2',
    ]);
  });
});

describe('stagnation', () => {
  it('same-error: opens at the fifth error in a row with varying arguments', () => {
    const paths = ['a', 'b', 'c', 'd', 'e', 'f'].map(noFile);
    expect(said(turns(...paths.slice(0, 4)))).toEqual([]);
    expect(said(turns(...paths))).toEqual([
      'stagnation/same-error opened chance 5',
      'stagnation/same-error escalated block 6',
    ]);
  });

  it('same-error: another error or a success ends the row, another tool does not', () => {
    const four = ['a', 'b', 'c', 'd'].map(noFile);
    const breaks: ShortStep[] = [
      ['open', 'Error: permission denied', { path: 'x' }],
      ['open', 'contents of a file', { path: 'x' }],
    ];
    for (const other of breaks) expect(said(turns(...four, other, noFile('e')))).toEqual([]);
    expect(said(turns(...four, ['list', "Error: no such file: 'x'", { path: 'x' }]))).toEqual([
      'stagnation/same-error opened chance 5',
    ]);
  });

  it.each<[string, (n: number) => ShortStep]>([
    ['words', (n) => ['edit_text', `Error: '${'abcdefg'[n] ?? ''}_field' is a required property`, { n }]],
    ['words in JSON', (n) => ['add', { error: `${'abcdefg'[n] ?? ''} is missing` }, { n }]],
    ['a count that falls', (n) => ['run_tests', `${9 - n} failed, ${n} passed`, { part: 'all', n: -n }]],
    ['another place', (n) => ['build', `error: line ${n * 7 + 3}: expected ';'`, { code: `v${n}` }]],
  ])('same-error: is silent if the error differs each time: %s', (_, step) => {
    expect(said(turns(...[0, 1, 2, 3, 4, 5, 6].map(step)))).toEqual([]);
  });

  it.each<[string, (n: number) => ShortStep]>([
    [
      'a search without hits',
      (n) => ['bash', 'Exit code: 1', { command: `grep -rn ${'abcdefg'[n] ?? ''}x src` }],
    ],
    ['different checks', (n) => [`check_${n}`, 'Error: Command failed with exit code 1']],
  ])('same-error: is silent if the result only says that something failed: %s', (_, step) => {
    expect(said(turns(...[0, 1, 2, 3, 4, 5, 6].map(step)))).toEqual([]);
  });

  it('same-error: counts a step as one error if its parallel calls all fail alike', () => {
    const batch = (n: number): AgentEvent[] => [
      { type: 'turn_started' },
      ...['x', 'y'].map(
        (part): AgentEvent => ({ ...call('open', { path: `${part}${n}.txt` }), callId: `${part}${n}` }),
      ),
      ...['x', 'y'].map((part): AgentEvent => {
        const result = `Error: no such file: '${part}${n}.txt'`;
        return { type: 'tool_result', callId: `${part}${n}`, result };
      }),
    ];
    expect(said([1, 2, 3, 4, 5].flatMap(batch))).toEqual(['stagnation/same-error opened chance 5']);
  });

  const questions = [
    'when was the last horse tram line closed',
    'year the last horse tram line was closed',
    'the last horse tram line was closed when',
    'closed last horse tram line what year',
    'tell me when the last horse tram line was closed',
  ];
  it.each<[string, (q: string) => unknown]>([
    ['a page', () => '1. Trams of the world. 2. A short history of trams.'],
    ['nothing', () => []],
    ['nothing, with a message that repeats the question', (q) => `No results found for "${q}".`],
    ['a failure that repeats the question', (q) => `Could not find [${q}]. Similar: ['Trams']`],
  ])('same-answer: opens at the fourth rephrased question that leads to %s', (_, answer) => {
    const steps = questions.map((q): ShortStep => ['search', answer(q), { q }]);
    expect(said(turns(...steps.slice(0, 3)))).toEqual([]);
    expect(said(turns(...steps))).toEqual([
      'stagnation/same-answer opened chance 4',
      'stagnation/same-answer escalated block 5',
    ]);
  });

  it.each(['think', 'send_message', 'updatePlan', 'add_note'])(
    'same-answer: ignores %s, which answers no question',
    (name) => {
      const steps = questions.map((q): ShortStep => [name, 'It was taken up and is passed on.', { q }]);
      expect(said(turns(...steps))).toEqual([]);
    },
  );

  it('same-answer: is silent if each question is about something else', () => {
    const places = ['Oslo', 'Bergen', 'Narvik', 'Molde', 'Hamar', 'Skien'];
    const search = (place: string): ShortStep => [
      'search',
      'No results found.',
      { q: `trains to ${place} on a Sunday` },
    ];
    expect(said(turns(...places.map(search)))).toEqual([]);
    const check = (place: string): ShortStep => [
      'check',
      'No problems in 1 sentence, 24 rules applied.',
      { text: `we go to ${place} now` },
    ];
    expect(said(turns(...places.map(check)))).toEqual([]);
  });

  it('same-failure: opens at the fourth failure between steps that change nothing, and escalates at the next', () => {
    const round = (n: number): ShortStep[] => [
      ['test', 'Error: expected 100, received 99'],
      ['read', `file number ${n} holds ${n * 7} lines`, { n }],
    ];
    const rounds = [1, 2, 3, 4, 5].flatMap(round);
    expect(said(turns(...rounds))).toEqual([
      'stagnation/same-failure opened chance 4',
      'stagnation/same-failure escalated block 5',
    ]);
    const cured: ShortStep = ['test', 'all of the 30 tests passed'];
    expect(said(turns(...rounds.slice(0, 8), cured)).at(-1)).toBe(
      'stagnation/same-failure resolved recovered 4',
    );
    const edited: ShortStep = ['edit', 'ok', { line: 9 }];
    expect(said(turns(...rounds.slice(0, 8), edited)).at(-1)).toBe(
      'stagnation/same-failure resolved recovered 4',
    );
  });

  it('same-failure: recovers after eight other steps', () => {
    const round = (n: number): ShortStep[] => [
      ['test', 'Error: expected 100'],
      ['read', `line ${n}`, { n }],
    ];
    const others = Array.from({ length: 9 }, (_, n): ShortStep => ['look', `at ${n + 50}`, { n }]);
    const rounds = [1, 2, 3, 4].flatMap(round);
    expect(said(turns(...rounds, ...others.slice(0, 7)))).toEqual([
      'stagnation/same-failure opened chance 4',
    ]);
    expect(said(turns(...rounds, ...others))).toEqual([
      'stagnation/same-failure opened chance 4',
      'stagnation/same-failure resolved recovered 4',
    ]);
  });

  it('same-failure: is silent if something was changed in between', () => {
    const round = (n: number): ShortStep[] => [
      ['test', 'Error: expected 100'],
      ['write_file', 'ok', { n }],
    ];
    expect(said(turns(...[1, 2, 3, 4, 5, 6].flatMap(round)))).toEqual([]);
    const declared = [1, 2, 3, 4, 5].flatMap((n): ShortStep[] => [
      ['test', 'Error: no'],
      ['tune', `to ${n}`, { n }],
    ]);
    expect(said(turns(...declared))).not.toEqual([]);
    expect(said(turns(...declared), { per_tool: { tune: { mutating: true } } })).toEqual([]);
  });

  it('same-failure: assumes that shell commands change something unless they are read-only', () => {
    const round = (command: (n: number) => string): ShortStep[] =>
      [1, 2, 3, 4].flatMap((n): ShortStep[] => [
        ['bash', 'Error: expected 100', { command: 'npm test' }],
        ['bash', `line ${n} of it`, { command: command(n) }],
      ]);
    expect(said(turns(...round((n) => `sed -n ${n}p total.ts`)))).toEqual([
      'stagnation/same-failure opened chance 4',
    ]);
    expect(said(turns(...round((n) => `sed -i ${n}d total.ts`)))).toEqual([]);
    const edits = turns(...round((n) => `python3 fix.py ${n}`));
    expect(said(edits)).toEqual([]);
    expect(said(edits, { per_tool: { bash: { mutating: false } } })).not.toEqual([]);
  });

  it('nothing-new: opens at five known steps in a row, in any order', () => {
    const first = letters('ABCDEFG');
    expect(said(turns(...first, ...letters('CAEB')))).toEqual([]);
    expect(said(turns(...first, ...letters('CAEBG')))).toEqual(['stagnation/nothing-new opened chance 5']);
    expect(said(turns(...first, ...letters('CAEBGX')))).toEqual([
      'stagnation/nothing-new opened chance 5',
      'stagnation/nothing-new resolved recovered 5',
    ]);
  });

  it('nothing-new: leaves a single repeated step to tool-repeat, even if that tolerates it', () => {
    const events = turns(...letters('A'.repeat(12)));
    expect(said(events, { tool_call_loop: { max_repeats: 20 } })).toEqual([]);
    expect(said(events, { tool_call_loop: { per_tool: { A: { enabled: false } } } })).toEqual([]);
  });

  it('nothing-new: leaves cycles to tool-cycle unless that is off', () => {
    const events = turns(...letters('ABCDE'.repeat(4)));
    expect(said(events, { tool_cycle: { min_repeats: 5 } })).toEqual([]);
    expect(said(events, { tool_cycle: { enabled: false } })[0]).toBe(
      'stagnation/nothing-new opened chance 5',
    );
    expect(said(events, { tool_cycle: { max_period: 4 } })[0]).toBe('stagnation/nothing-new opened chance 5');
  });

  it('nothing-new: stays one incident when the steps turn into another pattern', () => {
    const opened = (sequence: string) =>
      said(turns(...letters(sequence))).filter((line) => line.includes('opened'));
    expect(opened('ABCDEFGCAEBGABABABAB')).toEqual(['stagnation/nothing-new opened chance 5']);
    expect(opened('ABCDEFGCAEBGAAAAA')).toEqual(['stagnation/nothing-new opened chance 5']);
    expect(opened('ABCDEFGCAEBGXAAA')).toHaveLength(2);
  });

  it('nothing-new: restarts its count after another loop', () => {
    const loop = `${'ABC'.repeat(4)}A`;
    const lines = (rest: string) => said(turns(...letters(loop + rest)));
    expect(lines('CBAB')).toHaveLength(3);
    expect(lines('CBABC').at(-1)).toBe('stagnation/nothing-new opened chance 5');
  });

  it('leaves no state behind when switched off during an incident', () => {
    const before = turns(...letters('ABCDEFGCAEBG'));
    const off: AgentEvent = { type: 'control', set: { 'stagnation.enabled': false } };
    expect(said([...before, off, ...turns(...letters('AAA'))])).toEqual([
      'stagnation/nothing-new opened chance 5',
      'stagnation/nothing-new resolved disabled 5',
      'tool-repeat opened chance 3',
    ]);
  });

  it('nothing-new: ignores pollers', () => {
    const wait = (name: string): ShortStep[] =>
      [1, 2, 3, 4, 5, 6, 7].flatMap((): ShortStep[] => [
        [name, 'still at work, please be patient'],
        ['A', 'what A says, always'],
      ]);
    expect(said(turns(...wait('ask')), { tool_cycle: { enabled: false } })).not.toEqual([]);
    const config = { tool_cycle: { enabled: false }, per_tool: { ask: { poller: true } } };
    expect(said(turns(...wait('ask')), config)).toEqual([]);
  });
});

describe('outage', () => {
  test('opens at three temporary failures in a row of any kind, and recovers at a success', () => {
    const down: ShortStep[] = [
      ['fetch', 'HTTP 503 Service Unavailable', { n: 1 }],
      ['search', 'Error: timed out'],
      ['fetch', 'HTTP 429 Too Many Requests', { n: 2 }],
    ];
    expect(said(turns(...down.slice(0, 2)))).toEqual([]);
    expect(said(turns(...down, ...down, ['fetch', 'a page']))).toEqual([
      'outage opened warn 3',
      'outage escalated warn 6',
      'outage resolved recovered 6',
    ]);
    expect(said(turns(...down), { outage: { enabled: false } })).toEqual([]);
    expect(said(turns(...down), { outage: { min_failures: 2 } })).toEqual(['outage opened warn 2']);
  });
});

describe('tool contracts', () => {
  const search = (n: number): ShortStep => [
    'find',
    'nobody of that name lives here',
    { q: 'ada', nonce: `n${n}` },
  ];
  const many = turns(...[1, 2, 3].map(search));

  it.each<{ what: string; per_tool: DetectionInput['per_tool']; found: boolean }>([
    { what: 'find nothing if absent', per_tool: {}, found: false },
    { what: 'ignore volatile fields', per_tool: { find: { volatile: ['nonce'] } }, found: true },
    { what: 'compare only identity fields', per_tool: { find: { identity: ['q'] } }, found: true },
    { what: 'do not apply to another tool', per_tool: { search: { identity: ['q'] } }, found: false },
    {
      what: 'raise the threshold of a poller',
      per_tool: { find: { identity: ['q'], poller: true } },
      found: false,
    },
  ])('$what', ({ per_tool, found }) => {
    expect(said(many, { per_tool })).toEqual(found ? ['tool-repeat opened chance 3'] : []);
  });

  it('apply to arguments given as JSON text', () => {
    const events = [1, 2, 3].flatMap((n): AgentEvent[] => [
      call('find', `{"nonce":${String(n)},"q":"ada"}`),
      { type: 'tool_result', result: 'nobody of that name lives here' },
    ]);
    expect(said(events, { per_tool: { find: { volatile: ['nonce'] } } })).toEqual([
      'tool-repeat opened chance 3',
    ]);
  });

  it('can declare that a tool with a polling name is no poller', () => {
    const events = turns(...times(3, ['git_status', 'modified: a.ts, b.ts, c.ts']));
    expect(said(events)).toEqual([]);
    expect(said(events, { per_tool: { git_status: { poller: false } } })).toEqual([
      'tool-repeat opened chance 3',
    ]);
  });
});

it('an ended session has no effect on a late call of its last turn', () => {
  const timeout: AgentEvent = { type: 'tool_result', result: 'Error: timed out', isError: true };
  const events: AgentEvent[] = [
    ...[1, 2, 3].flatMap((n): AgentEvent[] => [{ type: 'turn_started' }, call('fetch', { n }), timeout]),
    { type: 'session_ended' },
    call('fetch', { n: 4 }),
    timeout,
  ];
  expect(said(events)).toEqual(['outage opened warn 3', 'outage resolved ended 3']);
});
