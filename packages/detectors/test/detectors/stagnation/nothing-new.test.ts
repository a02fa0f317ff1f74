import type { AgentEvent } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import type { CallStep, PastCall } from '../../../src/calls/step.ts';
import { StepDigests } from '../../../src/detectors/stagnation/step-digests.ts';
import { letters, type ShortStep, said, turns } from '../../steps.ts';

/** Looks at these pages in turn; each answer comes in the envelope. */
function looks(pages: string, envelope: (page: string, i: number) => unknown): ShortStep[] {
  return Array.from(pages, (page, i) => [
    'look_at',
    envelope(`page ${page} lists the opening hours of the shop`, i),
    { page },
  ]);
}

const plain = (page: string): string => page;
const numbered = (page: string, i: number): object => ({
  id: `res_${(7_919_000 + i * 104_729).toString(36)}f3`,
  page,
});
const counting = (page: string, i: number): object => ({ entries_left: 90 - i, page });
const noOrder = 'abcabbcacbacabcb';

it('a plan of a query is worth another look after a statement that changes the database', () => {
  const explain: ShortStep = ['execute_sql', 'Seq Scan on t, 2,550 rows', { sql: 'explain select * from t' }];
  const tuning = (change: string) =>
    turns(
      ...'abcdefg'
        .split('')
        .flatMap((name): ShortStep[] => [
          ['execute_sql', `${name}: done, no row was returned`, { sql: `${change} ${name} on t` }],
          explain,
        ]),
    );
  expect(said(tuning('create index'))).toEqual([]);
  expect(said(tuning('SET LOCAL'))).toEqual([]);
  expect(said(tuning('select of'))).not.toEqual([]);
});

it.each(['terraform workspace select', 'kubectl config use-context', 'conda activate'])(
  'a look after another %s is new',
  (select) => {
    const run = (command: string, output: string): ShortStep => [
      'bash',
      `Command: ${command}\nOutput: ${output}\nExit Code: 0`,
      { command },
    ];
    const round = (name: string): ShortStep[] => [
      run(`${select} ${name}`, `Switched to "${name}".`),
      run('terraform plan', 'No changes. All of it matches.'),
    ];
    expect(
      said(turns(...['dev', 'test', 'stage', 'prod-eu', 'prod-us', 'dr', 'lab'].flatMap(round))),
    ).toEqual([]);
  },
);

describe('a look whose result is the same', () => {
  const list = 'List of items: 40 entries, sorted by date';
  const around = (act: (name: string) => ShortStep, result: unknown = list, tool = 'get_list') =>
    turns(...'abcdefgh'.split('').flatMap((name): ShortStep[] => [act(name), [tool, result]]));
  it.each<[string, AgentEvent[]]>([
    ['other accounts', around((user) => ['login', { ok: true }, { user }])],
    ['other hosts', around((host) => ['connect', 'connected', { host }])],
    ['other pages of a browser', around((id) => ['select_page', `# Pages\n${id}: the page ${id}`, { id }])],
    ['other pictures', around((path) => ['load_image', 'loaded', { path }])],
    ['what else was clicked', around((ref) => ['click', `the item ${ref} says what it is`, { ref }])],
    [
      'nothing but where the picture of it is',
      around(
        (ref) => ['ask', `a look at ${ref} says much`, { ref }],
        'Screenshot saved to /tmp/a.png',
        'screenshot',
      ),
    ],
  ])('is of %s', (_, events) => {
    expect(said(events)).toEqual([]);
  });

  it.each<[string, AgentEvent[]]>([
    ['looks', around((path) => ['read_file', `what the file ${path} says`, { path }])],
    ['notes', around((thought) => ['think', 'noted', { thought }])],
    ['questions that find nothing', around((q) => ['search', { hits: [] }, { q }])],
    ['the same account', around(() => ['login', { ok: true }, { user: 'a' }])],
  ])('is a loop between %s', (_, events) => {
    expect(said(events)).not.toEqual([]);
  });
});

describe('results that are known apart from random tokens', () => {
  it.each<{ what: string; steps: ShortStep[]; expected: string | undefined }>([
    { what: 'nothing new', steps: looks(noOrder, plain), expected: 'stagnation/nothing-new opened chance 5' },
    {
      what: 'nothing new in an envelope with ids: one step later',
      steps: looks(noOrder, numbered),
      expected: 'stagnation/nothing-new opened chance 6',
    },
    { what: 'a number that falls', steps: looks(noOrder, counting), expected: undefined },
    {
      what: 'one page again and again, between others, in an envelope with ids: one time later',
      steps: looks('abacadaeafagah', numbered),
      expected: 'stagnation/same-result opened chance 6',
    },
    {
      what: 'other pages in such envelopes',
      steps: looks('abcdefghijklmnop', numbered),
      expected: undefined,
    },
    {
      what: 'a draw',
      steps: Array.from(noOrder, (name, i) => [
        'create_ticket',
        numbered(`ticket for ${name} in the queue of today`, i),
        { name },
      ]),
      expected: undefined,
    },
  ])('$what', ({ steps, expected }) => {
    expect(said(turns(...steps))[0]).toBe(expected);
  });
});

function step(outcome: string, ...keys: string[]): CallStep {
  const calls = keys.map((key) => ({ key, result: { gist: outcome } }) as PastCall);
  return {
    calls,
    turn: 0,
    remark: '',
    settled: true,
    key: keys.join(),
    outcome,
    kind: 'ok',
    explained: false,
  };
}

/** Follows the steps one by one, as a history that remembers this many does. */
function following(steps: readonly CallStep[], remembered = 64): StepDigests {
  const digests = new StepDigests();
  steps.forEach((_, i) => digests.follow(steps.slice(Math.max(0, i + 1 - remembered), i + 1)));
  return digests;
}

const distinct = Array.from({ length: 200 }, (_, i) => step(`page ${String(i)}`, `read ${String(i)}`));

it('StepDigests: counts the steps with the call of the latest one, and hardly any others', () => {
  const again = [...distinct.slice(0, 60), ...Array.from({ length: 4 }, () => step('page 7', 'read 7'))];
  const digests = following(again);
  expect(digests.sameCalls()).toBeGreaterThanOrEqual(5);
  expect(following(distinct).sameCalls()).toBeLessThan(4);
  expect(digests.mayBringTheSame(7)).toBe(true);
});

it('StepDigests: assumes that a step of several calls may contain the call', () => {
  expect(following([...distinct.slice(0, 3), step('two', 'read 1', 'read 2')]).sameCalls()).toBe(4);
  expect(following([step('two', 'read 1', 'read 2'), ...distinct.slice(0, 3)]).sameCalls()).toBe(2);
});

it('StepDigests: forgets the steps that the history forgets', () => {
  const repeated = [step('page 1', 'read 1'), ...distinct.slice(100, 107), step('page 1', 'read 1')];
  expect(following(repeated, 9).sameCalls()).toBe(2);
  expect(following(repeated, 8).sameCalls()).toBe(1);
});

it('StepDigests: follows a growing step and a reverted history', () => {
  const digests = following(distinct.slice(0, 3));
  const grown = step('page 0', 'read 0', 'read 1');
  digests.follow([...distinct.slice(0, 2), grown]);
  expect(digests.mayBringTheSame(0)).toBe(true);
  digests.follow([...distinct.slice(0, 2), grown, step('page 1', 'read 1')]);
  expect(digests.mayBringTheSame(1)).toBe(true);
  const copies = distinct.slice(0, 2).map((one) => ({ ...one }));
  digests.follow([...copies, step('page 0', 'read 0')]);
  expect(digests.sameCalls()).toBe(2);
});

describe('stagnation', () => {
  it('nothing-new: opens at five known steps in a row, in any order', () => {
    const first = letters('ABCDEFG');
    expect(said(turns(...first, ...letters('CAEB')))).toEqual([]);
    expect(said(turns(...first, ...letters('CAEBG')))).toEqual(['stagnation/nothing-new opened chance 5']);
    expect(said(turns(...first, ...letters('CAEBGX')))).toEqual([
      'stagnation/nothing-new opened chance 5',
      'stagnation/nothing-new resolved recovered 5',
    ]);
  });

  it.each<{ what: string; name: string; expected: string[] }>([
    { what: 'a value that is watched comes back', name: 'get_quote', expected: [] },
    {
      what: 'an action shows what it showed before',
      name: 'click',
      expected: ['stagnation/nothing-new opened chance 5'],
    },
  ])('nothing-new: $what', ({ name, expected }) => {
    const steps = Array.from(
      'abcdacbdcabd',
      (letter): ShortStep => [name, `it stands at ${letter} now, as it does at times`],
    );
    expect(said(turns(...steps)).slice(0, 1)).toEqual(expected);
  });

  it.each([
    ['set_flags', []],
    ['show_flags', ['stagnation/nothing-new opened chance 5']],
  ])('nothing-new: %s between known looks', (name, expected) => {
    const steps = Array.from('abcadcbe', (only): ShortStep[] => [
      [name, 'these flags are in force', { only }],
      ['http_get', 'abe'.includes(only) ? 'The shop is open.' : 'The template is not there.', { url: 'a' }],
    ]);
    expect(said(turns(...steps.flat())).slice(0, 1)).toEqual(expected);
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
