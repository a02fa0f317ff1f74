import type { AgentEvent } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import { said } from '../../steps.ts';

/** Tokens that look random, the same ones in each run. */
function token(seed: number, alphabet: string, length: number): string {
  let state = (seed + 1) * 2_654_435_761;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return alphabet.charAt((state >>> 8) % alphabet.length);
  }).join('');
}
const DIGITS = '0123456789';
const HEX = `${DIGITS}abcdef`;
const LOWER = `${DIGITS}abcdefghijkmnpqrstuvwxyz`;
const MIXED = `${LOWER}ABCDEFGHJKLMNPQRSTUVWXYZ`;
const hex = (i: number, length = 12) => `${token(i, HEX, length - 2)}${String(i % 10)}e`;
const low = (i: number, length = 8) => `${token(i, LOWER, length - 2)}${String(i % 10)}x`;
const mixed = (i: number, length = 20) => `${token(i, MIXED, length - 3)}${String(i % 10)}aZ`;

type Case = readonly [
  title: string,
  name: string,
  args: Record<string, unknown>,
  result: (i: number) => unknown,
  isError?: boolean | undefined,
];

function events([, name, args, result, isError]: Case, count: number): AgentEvent[] {
  return Array.from({ length: count }, (_, i): AgentEvent[] => [
    { type: 'turn_started' },
    { type: 'tool_call_request', callId: `c${String(i)}`, name, args },
    { type: 'turn_finished' },
    {
      type: 'tool_result',
      callId: `c${String(i)}`,
      result: result(i),
      ...(isError !== undefined && { isError }),
    },
  ]).flat();
}

const failing: readonly Case[] = [
  [
    'a lock',
    'Bash',
    { command: 'terraform apply' },
    (i) => `Error acquiring the state lock, lock info ${hex(i, 32)}`,
    true,
  ],
  [
    'a container',
    'run_container',
    { image: 'db' },
    (i) => `container ${hex(i)} exited at once: no space left`,
    true,
  ],
  [
    'a port',
    'Bash',
    { command: 'npm run e2e' },
    (i) => `cannot reach the preview server at 127.0.0.1:${String(49_152 + ((i * 7919) % 9000))}`,
    true,
  ],
  [
    'a job',
    'submit',
    { queue: 'gpu' },
    (i) => `batch job ${String(771_204 + i * 17)} was refused: account over quota`,
    true,
  ],
  [
    'an AWS request',
    'Bash',
    { command: 'aws s3 ls s3://b' },
    (i) =>
      `An error occurred (AccessDenied): RequestId: ${token(i, 'ABCDEFGHJKLMNPQRSTVWXYZ0123456789', 13)}4X7, not allowed`,
    true,
  ],
  [
    'a debug log',
    'Bash',
    { command: 'npm ci' },
    (i) =>
      `npm error missing lockfile\nnpm error A complete log is in /root/.npm/_logs/${low(i)}-debug-0.log`,
    true,
  ],
  [
    'an object file',
    'Bash',
    { command: 'make' },
    (i) => `/usr/bin/ld: /tmp/cc${mixed(i, 6)}.o: undefined reference to main`,
    true,
  ],
  [
    'a pull request',
    'open_pr',
    { head: 'a' },
    (i) => `validation failed, trace ${mixed(i)}: head branch has no commits`,
    true,
  ],
];

const few = (i: number) => String((i * 37) % 97);
const worded: readonly Case[] = [
  [
    'a load',
    'run',
    { cmd: 'stress' },
    (i) => `error: device busy, load average: 0.${few(i)}, 0.${few(i + 5)}`,
    true,
  ],
  [
    'a thread of a pool',
    'run_tests',
    {},
    (i) => `java.lang.IllegalStateException: pool closed [pool-${few(i)}-thread-${few(i + 3)}]`,
    true,
  ],
  [
    'a duration in another language',
    'pruefen',
    { datei: 'a.xml' },
    (i) => `Fehler: Schema in Zeile 12 verletzt. Dauer: ${few(i)},${few(i + 7)} Sekunden`,
    true,
  ],
  [
    'a pod, in some calls without digits',
    'Bash',
    { command: 'kubectl apply -f job.yaml' },
    (i) =>
      `Error from server: pod "migrate-${['kxqzr', 'x7f2k', 'bvnwt'][i % 3] ?? ''}" cannot pull its image`,
    true,
  ],
  [
    'a step of the harness',
    'execute',
    { code: 'print(x)' },
    (i) => `NameError: name 'x' is not defined\n\n(step ${String(i + 3)} of 50)`,
    true,
  ],
  [
    'a log named by its time',
    'Bash',
    { command: 'pnpm i' },
    (i) =>
      `ERR the tree cannot be resolved, see /srv/_logs/2026-10-12T08_${String(10 + i)}_4${String(i % 10)}_123Z-debug.log`,
    true,
  ],
];

const unmarked: readonly Case[] = [
  [
    'an error in another language',
    'コマンド',
    { 実行: 'テスト' },
    (i) => `エラー: ファイルが見つかりません (要求番号 ${hex(i)})`,
  ],
  [
    'a panic',
    'cargo_test',
    {},
    (i) => `thread 'main' (${String(104_729 + i * 7919)}) panicked at src/lib.rs:44:9: not equal`,
  ],
  [
    'a pull that failed',
    'pull_model',
    { name: 'a' },
    (i) => `Pull failed: manifest unknown. Rate ${few(i)} MB/s`,
  ],
  [
    'a deployment that is refused',
    'deploy',
    { to: 'eu' },
    (i) => `Deployment ${mixed(i)} rejected: the quota of the region is used up`,
  ],
];

const answering: readonly Case[] = [
  [
    'an event beside named fields',
    'list_incidents',
    { service: 'billing' },
    (i) => ({
      eventId: mixed(i),
      items: [{ key: 'B-44', state: 'open', title: 'Billing is slow' }],
      total: 1,
    }),
  ],
  ['a trace', 'get_item', { id: 1 }, (i) => ({ v: 'one', trace: hex(i, 32) })],
  [
    'a warning about tokens',
    'read_file',
    { path: 'a.ts' },
    (i) =>
      `export const a = 1;\n<system_warning>Token usage: ${String(20_000 + i * 1331)}/200000</system_warning>`,
  ],
  [
    'a page with a nonce',
    'fetch_page',
    { url: 'https://a.example' },
    (i) => `<script nonce="${mixed(i)}"></script>The library is closed today and opens again on Monday.`,
  ],
  [
    'an ETag',
    'http_get',
    { url: 'https://a.example/x' },
    (i) =>
      `HTTP/1.1 200 OK\netag: W/"${hex(i, 16)}"\n\nThe museum of trams has its doors closed for the winter.`,
  ],
  [
    'a CSRF field',
    'open_form',
    { id: 7 },
    (i) =>
      `<form><input name="csrf" value="${mixed(i, 32)}">Please enter the name of the person you want to visit.</form>`,
  ],
  [
    'an event',
    'notify_oncall',
    { team: 'a' },
    (i) => ({ eventId: low(i, 10), message: 'the team a has no person on call, so the message was kept' }),
  ],
  [
    'a message',
    'look_up',
    { q: 'a' },
    (i) => ({
      id: `msg_${mixed(i, 22)}`,
      text: 'I do not know anything about this, please ask somebody else.',
    }),
  ],
  [
    'elements of a page',
    'browser_snapshot',
    {},
    (i) =>
      `heading "Sign in" [ref=e${String(i * 3)}], button "Continue with your work account" [ref=e${String(i * 3 + 1)}], a text that says welcome`,
  ],
  [
    'a screenshot',
    'screenshot',
    {},
    (i) => `Saved the picture of the page "Sign in to the portal" as /srv/shots/${hex(i, 16)}.png`,
  ],
  [
    'an amended commit',
    'Bash',
    { command: 'git commit --amend --no-edit' },
    (i) => `[main ${hex(i, 7)}] docs: say how to install\n 1 file changed, 2 insertions(+)`,
  ],
  [
    'a memory figure',
    'Bash',
    { command: 'npm run lint' },
    (i) =>
      `checked all files of the project, nothing to report, peak memory ${String(180 + ((i * 37) % 23))}.${String(i % 9)} MB`,
  ],
  [
    'a counter in a frame',
    'shell',
    { cmd: 'make check' },
    (i) =>
      `all targets are up to date and nothing was done\n[command #${String(i + 14)} finished, exit code 0]`,
  ],
  [
    'a pod',
    'Bash',
    { command: 'kubectl logs deploy/web' },
    (i) => `Found several pods, using pod/web-7d9f8b6c5d-${low(i, 5)}\nserver could not read its settings`,
  ],
];

describe('the same call is a repetition although its result brings', () => {
  it.each([...failing, ...worded, ...unmarked, ...answering])('%s', (...one: readonly unknown[]) => {
    const verdicts = said(events(one as unknown as Case, 8));
    expect(verdicts[0]).toMatch(/^tool-repeat opened chance [3-5]$/);
    expect(verdicts[1]).toMatch(/^tool-repeat escalated block [4-6]$/);
  });
});

const uuid = (i: number) => `${hex(i, 8)}-${hex(i, 4)}-4abc-9abc-${hex(i + 7)}`;

const healthy: readonly Case[] = [
  ['UUIDs', 'Bash', { command: 'uuidgen' }, uuid],
  [
    'UUIDs with words',
    'new_session',
    {},
    (i) => `The session was opened under the name ${uuid(i)} for an hour.`,
  ],
  [
    'what a request creates',
    'http_request',
    { method: 'POST', url: 'https://a.example/vouchers' },
    (i) => ({ object: 'voucher', value: mixed(i), used: 'never', for: 'any customer of the shop' }),
  ],
  [
    'whatever is newest',
    'get_block',
    { number: 'latest' },
    (i) => ({
      hash: `0x${hex(i, 64)}`,
      parent: `0x${hex(i + 9, 64)}`,
      miner: 'pool one',
      size: 'normal',
      final: true,
    }),
  ],
  [
    'one row after another that cannot be moved',
    'migrate_rows',
    {},
    (i) => `Error: row ${String(120 + i * 37)} has no owner and was left where it is`,
    true,
  ],
  [
    'fewer failures in an error',
    'run_suite',
    { name: 'all' },
    (i) => `the suite is red: ${String(90 - i)} checks of it do not hold`,
    true,
  ],
  [
    'a drawn number',
    'Bash',
    { command: 'shuf -i 1-100000 -n 1' },
    (i) => String(12_345 + ((i * 7919) % 80_000)),
  ],
  [
    'a generated key',
    'generate_key',
    { size: 32 },
    (i) => `A fresh key was generated for you and stored safely: ${mixed(i, 32)}`,
  ],
  [
    'a ticket',
    'draw_ticket',
    {},
    (i) => `You have drawn the ticket ${low(i, 6)}, please wait until it is called.`,
  ],
  [
    'a ticket of a neutral tool',
    'counter',
    { hall: 'b' },
    (i) => `Your ticket is ${low(i, 6)}; take a seat in hall b and wait.`,
  ],
  [
    'the next task',
    'queue',
    { op: 'next' },
    (i) => ({ task: `t_${hex(i)}`, kind: 'resize', priority: 'high' }),
  ],
  [
    'the next task in words',
    'work_queue',
    {},
    (i) => `The next task for this worker is ${hex(i)}, resize the picture to half its size.`,
  ],
  [
    'a page after a page',
    'list_events',
    {},
    (i) => ({
      events: [`a ${low(i)}`, `b ${low(i + 90)}`, `c ${low(i + 190)}`, `d ${low(i + 290)}`],
      more: true,
    }),
  ],
  [
    'a cursor',
    'list_orders',
    {},
    (i) => ({ message: 'some orders were left out of this answer', next_cursor: mixed(i, 24) }),
  ],
  ['a new head of a branch', 'Bash', { command: 'git rev-parse origin/main' }, (i) => hex(i, 40)],
  [
    'a commit that lands',
    'latest_commit',
    { branch: 'main' },
    (i) => `The latest commit of the branch main is ${hex(i, 40)} by the bot that merges.`,
  ],
  [
    'a price',
    'quote',
    { symbol: 'B' },
    (i) => `B trades at ${(41 + ((i * 37) % 101) / 70).toFixed(3)} on the exchange in Rome now.`,
  ],
  [
    'a falling quantity',
    'Bash',
    { command: 'drain' },
    (i) => `${String(98_000 - i * 1771)} rows of the old table are left to move to the new one`,
  ],
  [
    'a falling quantity in an error',
    'migrate',
    { step: 'all' },
    (i) => `not done: ${String(98_000 - i * 1771)} rows still have the old form`,
    true,
  ],
  [
    'a rising quantity with a goal',
    'pay_in',
    { amount: 'all' },
    (i) => `refused: total 1${String(1000 + i * 150)} is below the 18000 that are due`,
    true,
  ],
  [
    'a growing download',
    'Bash',
    { command: 'du -sh model.bin' },
    (i) => `${String(412 + i * 55)} MB of the model are on the disk of this machine so far`,
  ],
  [
    'a countdown in a frame',
    'step',
    {},
    (i) => `one more item was worked off by the machine\n[${String(60 - i)} to go]`,
  ],
  [
    'a rate',
    'read_metric',
    { name: 'rps' },
    (i) => `the service answers ${String(1000 + ((i * 389) % 700))} requests a second at the moment`,
  ],
  ['a temperature', 'sensor', {}, (i) => ({ celsius: 20 + ((i * 37) % 101) / 10 })],
];

describe('the same call is progress if its result brings', () => {
  it.each(healthy)('%s', (...one: readonly unknown[]) => {
    expect(said(events(one as unknown as Case, 25))).toEqual([]);
  });
});

describe('the last bound', () => {
  const rising = (count: number) =>
    events(['', 'sensor', {}, (i) => ({ celsius: i * 3, note: token(i, 'abcdefgh', 9) })], count);

  it('points out identical calls whatever their results, and blocks them far later', () => {
    expect(said(rising(39))).toEqual([]);
    expect(said(rising(119)).filter((line) => !line.includes('resolved'))).toEqual([
      'tool-repeat opened chance 40',
      'tool-repeat opened chance 80',
    ]);
    expect(said(rising(121)).slice(-2)).toEqual([
      'tool-repeat opened chance 120',
      'tool-repeat escalated block 121',
    ]);
  });

  it('does not apply to a tool that waits', () => {
    const waiting = events(['', 'wait_for_build', {}, (i) => ({ done: i * 3 })], 130);
    expect(said(waiting)).toEqual([]);
  });
});

/** Calls of one tool whose arguments differ. */
function varied(
  name: string,
  result: (i: number) => unknown,
  count: number,
  isError?: boolean,
): AgentEvent[] {
  return Array.from({ length: count }, (_, i) =>
    events(['', name, { target: `src/part-${String.fromCharCode(97 + i)}.ts` }, () => result(i), isError], 1),
  ).flat();
}

describe('a list that is worked off is progress although each answer is', () => {
  it.each<[string, unknown]>([
    ['an empty record', { filenames: [], numFiles: 0, durationMs: 12 }],
    [
      'an empty record in MCP',
      { content: [{ type: 'text', text: '{"total":0,"issues":[],"paging":{"pageIndex":1}}' }] },
    ],
    ['a count of nothing', '0 problems (0 errors, 0 warnings) in the file that was given to the checker'],
    ['a clean report', 'The type checker found no complaints about this file and its direct imports.'],
    ['a free name', 'Registry answered: this name is not taken and may be registered by anybody.'],
  ])('%s', (_, result) => {
    expect(said(varied('search_issues', () => result, 14))).toEqual([]);
  });
});

describe('a failing edit', () => {
  it('makes progress if fewer things are wrong each time, or a total comes nearer to what is due', () => {
    const fewer = (i: number) => `Error: not saved, ${String(40 - 7 * i)} fields are not valid`;
    expect(said(varied('save_form', fewer, 5))).toEqual([]);
    const nearer = (i: number) => `Error: the sum is ${String(100 + 60 * i)}, it must be 500`;
    expect(said(varied('save_form', nearer, 5))).toEqual([]);
  });

  it('makes none if the number changes at random', () => {
    const random = (i: number) =>
      `Error: not saved, see row ${String([31, 4, 77, 12, 50, 8][i] ?? 9)} in the log`;
    expect(said(varied('save_form', random, 6))[0]).toMatch(/^stagnation\/same-error opened chance/);
  });
});

it('an agent launched again and again does not wait', () => {
  const launched = (i: number) =>
    `Async agent launched successfully.\nagentId: a${hex(i)} (internal ID)\nThe agent is working in the background.`;
  expect(said(events(['', 'Agent', { prompt: 'Find the slow query.' }, launched], 6))[0]).toMatch(
    /^tool-repeat opened chance [34]$/,
  );
});

it('the same failure with another id each time is found with looks in between', () => {
  const looks = Array.from({ length: 8 }, (_, i) => [
    ...events(
      ['', 'deploy', { to: 'eu' }, () => `refused: the lease ${hex(i)} is held by another pipeline`, true],
      1,
    ),
    ...events(
      ['', 'read_log', { line: i }, () => `line ${String(i)} of the log: ${low(i, 5)} and ${mixed(i)}`],
      1,
    ),
  ]).flat();
  expect(said(looks)[0]).toMatch(/^stagnation\/same-\w+ opened chance [45]$/);
});
