// `npm test`: every check, cheap ones first. Continues after a failure; the last line is `N passed, N failed`.
// A failed check that runs no tests counts as one failed. `--with-traces` adds the recorded trajectories.
// A second lane runs beside the others, so that both of two cores are busy; its output is printed at the steps' positions.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const root = join(import.meta.dirname, '..');
const dependencies = ['--import', 'tsx', join(root, 'scripts/test-dependencies.ts')];
if (spawnSync(process.execPath, dependencies, { cwd: root, stdio: 'inherit' }).status !== 0) process.exit(1);

const reports = join(root, '.cache/test');
rmSync(reports, { recursive: true, force: true });
mkdirSync(reports, { recursive: true });

/** A step with `beside` starts together with the step of that title, one with `after` when that one ends; both come later here. */
const check = (title, command) => ({ title, command });
const vitest = (title) => ({
  title,
  // Without a cache, because two runs at once would write the same file.
  command: `vitest run --project ${title} --no-cache --reporter=default --reporter=json --outputFile.json=.cache/test/${title}.json`,
  count: countVitest,
});

const steps = [
  check('format', 'biome check --error-on-warnings .'),
  check('types', 'npm run -s types'),
  check('versions', 'sherif'),
  check('idiom', 'node scripts/lint/idiom.mjs'),
  check('boundaries', 'node scripts/boundaries.mjs'),
  check('dead code', 'knip --treat-config-hints-as-errors'),
  check('links', 'npm run -s docs:links'),
  check('site', 'npm run -s docs:build'),
  // Tests start the built commands, which takes a third of the time of starting from sources, and install the packed packages.
  check('build', 'node scripts/build.mjs --pack'),
  { ...check('lint', 'npm run -s lint'), beside: 'format' },
  { ...vitest('unit'), after: 'lint' },
  vitest('component'),
  vitest('dom'),
  vitest('clients'),
  ...(process.argv.includes('--with-traces') ? [vitest('traces')] : []),
  { ...vitest('integration'), beside: 'component' },
  {
    title: 'e2e',
    after: 'integration',
    command: 'playwright test --pass-with-no-tests --reporter=list,json',
    env: { PLAYWRIGHT_JSON_OUTPUT_NAME: join(reports, 'e2e.json') },
    count: countPlaywright,
  },
  check('size', 'size-limit'),
];

/** A file that fails before its first test counts as one failed test. */
function countVitest({ numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults }) {
  const broken = testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((result) => result.status === 'failed'),
  );
  const failures = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages }) => failure(name, fullName, failureMessages[0])),
  );
  return {
    passed: numPassedTests,
    failed: numFailedTests + broken.length,
    skipped: numPendingTests + numTodoTests,
    failures: [...failures, ...broken.map(({ name, message }) => failure(name, 'the file itself', message))],
  };
}

function countPlaywright({ stats, errors, suites }) {
  const failed = stats.unexpected + (stats.unexpected === 0 ? errors.length : 0);
  const specs = (suite) => [...(suite.specs ?? []), ...(suite.suites ?? []).flatMap(specs)];
  const failures = suites
    .flatMap(specs)
    .filter(({ ok }) => !ok)
    .map(({ file, title, tests }) => failure(file, title, tests[0]?.results[0]?.error?.message));
  return { passed: stats.expected + stats.flaky, failed, skipped: stats.skipped, failures };
}

/** One line, for logs that keep only the end of the output. */
function failure(file, test, message = '') {
  return `${file.replace(`${root}/`, '')} > ${test}: ${stripVTControlCharacters(message).split('\n', 1)[0]}`;
}

/** Runs a step; its output is printed as it arrives, or buffered while another step prints. */
function run({ command, env, beside, after }) {
  return new Promise((resolve) => {
    const began = performance.now();
    const path = `${join(root, 'node_modules/.bin')}:${process.env.PATH}`;
    const shown = beside === undefined && after === undefined ? 'inherit' : 'pipe';
    const child = spawn(`${command}\ncode=$?\ntimes >&3\nexit $code`, {
      cwd: root,
      shell: true,
      stdio: ['ignore', shown, shown, 'pipe'],
      env: { ...process.env, ...env, PATH: path },
    });
    const [kept, times] = [[], []];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => kept.push(chunk));
    child.stdio[3].on('data', (chunk) => times.push(chunk));
    child.on('close', (code) => {
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      const cpu = cpuSeconds(Buffer.concat(times).toString()).toFixed(0);
      resolve({ code: code ?? 1, seconds, cpu, kept: Buffer.concat(kept) });
    });
  });
}

/** User and system time of the processes of a step: the second line of `times`, as `1m2.34s 0m5.67s`. */
function cpuSeconds(times) {
  const [, processes = ''] = times.split('\n');
  return [...processes.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, m, s]) => sum + Number(m) * 60 + Number(s),
    0,
  );
}

/** The counts in a step's report; an exit code that the report does not explain counts as one more failure. */
function result({ title, count }, code) {
  const report = join(reports, `${title}.json`);
  const counts =
    count !== undefined && existsSync(report)
      ? count(JSON.parse(readFileSync(report, 'utf8')))
      : { passed: 0, failed: 0, skipped: 0, failures: [] };
  return code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

const begun = new Map();

/** Starts a step of the second lane, and those that follow it there. */
function begin(step) {
  const running = run(step);
  begun.set(step, running);
  for (const next of steps.filter(({ after }) => after === step.title))
    begun.set(
      next,
      running.then(() => run(next)),
    );
}

const rows = [];
for (const step of steps) {
  for (const other of steps.filter(({ beside }) => beside === step.title)) begin(other);
  console.log(`\n=== ${step.title}: ${step.command}`);
  const { code, seconds, cpu, kept } = await (begun.get(step) ?? run(step));
  process.stdout.write(kept);
  const counts = result(step, code);
  const tests = step.count && `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`;
  rows.push({ ...counts, title: step.title, seconds, cpu, tests });
  console.log(
    `=== ${step.title}: ${counts.failed === 0 ? 'ok' : 'FAILED'} in ${seconds} s, ${cpu} s of CPU time`,
  );
}

/** The next run begins with the files that took longest, see vitest.config.ts. */
function writeDurations() {
  const durations = steps
    .filter(({ count }) => count === countVitest)
    .map(({ title }) => join(reports, `${title}.json`))
    .filter((report) => existsSync(report))
    .flatMap((report) => JSON.parse(readFileSync(report, 'utf8')).testResults)
    .map(({ name, startTime, endTime }) => [relative(root, name), Math.round(endTime - startTime)]);
  writeFileSync(join(root, '.cache/test-durations.json'), JSON.stringify(Object.fromEntries(durations)));
}

writeDurations();
const sum = (key) => rows.reduce((total, row) => total + row[key], 0);
const passed = sum('passed');
const failed = sum('failed');
console.log('');
for (const { title, failed, seconds, cpu, tests } of rows) {
  console.log(
    `${failed === 0 ? 'ok    ' : 'FAILED'}  ${title.padEnd(12)} ${seconds.padStart(7)} s  CPU ${cpu.padStart(5)} s  ${tests ?? ''}`,
  );
}
if (passed + failed === 0) console.log('No test ran.');
for (const line of rows.flatMap(({ failures }) => failures)) console.log(`failed  ${line}`);
if (failed > 0)
  console.log(
    `Failed: ${rows
      .filter((row) => row.failed > 0)
      .map((row) => row.title)
      .join(', ')}`,
  );
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
console.log(`${passed} passed, ${failed} failed`);
