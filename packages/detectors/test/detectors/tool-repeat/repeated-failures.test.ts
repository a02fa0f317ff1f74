import { describe, expect, it } from 'vitest';
import { said } from '../../steps.ts';
import { type Case, events, hex, low, mixed, token, turned } from './changing-results.ts';

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
    'a name that Docker makes',
    'Bash',
    { command: 'docker run -p 80:80 shop' },
    (i) =>
      `docker: Error response from daemon: driver failed on endpoint ${['eager', 'happy', 'zen'][i % 3] ?? ''}_${['curie', 'turing'][i % 2] ?? ''} (${hex(i, 64)}): port is already allocated`,
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

describe('the same call is a repetition although its result brings', () => {
  it.each([...failing, ...worded, ...unmarked])('%s', (...one: readonly unknown[]) => {
    const verdicts = said(events(one as unknown as Case, 8));
    expect(verdicts[0]).toMatch(/^tool-repeat opened chance [3-6]$/);
    expect(verdicts[1]).toMatch(/^tool-repeat escalated block [4-7]$/);
  });
});

describe('the same call that fails six times is one although each error has other words:', () => {
  const otherWords: readonly Case[] = [
    [
      'a pod, in some calls without digits',
      'Bash',
      { command: 'kubectl apply -f job.yaml' },
      (i) =>
        `Error from server: pod "migrate-${['kxqzr', 'x7f2k', 'bvnwt'][i % 3] ?? ''}" cannot pull its image`,
      true,
    ],
    [
      'a worker that is named in words',
      'kick_job',
      { job: 'nightly' },
      (i) =>
        `worker ${['brave', 'calm', 'eager'][i % 3] ?? ''}-${['otter', 'heron'][i % 2] ?? ''} refused the job`,
      true,
    ],
    [
      'keys in another order',
      'create_invoice',
      { customer: 88 },
      (i) =>
        `{${turned(['"status":422', '"detail":"the VAT number is missing"', '"title":"Error"'], i).join(',')}}`,
      true,
    ],
  ];
  it.each(otherWords)('%s', (...one: readonly unknown[]) => {
    const verdicts = said(events(one as unknown as Case, 8));
    expect(verdicts.slice(0, 2)).toEqual(['tool-repeat opened chance 6', 'tool-repeat escalated block 7']);
  });
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
