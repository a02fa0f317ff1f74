// Shows the report of `loopwatch scan --json` in a job of GitHub Actions: as annotations, job summary and outputs.
// node report.mjs REPORT STATUS, with the exit status of the scan.
import { appendFileSync, readFileSync } from 'node:fs';

/** A step shows no more annotations. */
const MAX_ANNOTATIONS = 10;
const LOOPS_FOUND = 3;

const [file, statusText] = process.argv.slice(2);
const { GITHUB_OUTPUT, GITHUB_STEP_SUMMARY, INPUT_FAIL_ON_LOOPS } = process.env;
const status = Number(statusText);
const text = readFileSync(file, 'utf8');
const fails = INPUT_FAIL_ON_LOOPS !== 'false';

if (text === '') {
  annotate('error', 'Loopwatch', `loopwatch scan ended with ${status}; its output above says why`);
  process.exit(status || 1);
}
const report = JSON.parse(text);
const { loops, sessions, sessionsWithLoops, worst, wasted, used } = report;
for (const { reason, agent, sessionId } of worst.slice(0, MAX_ANNOTATIONS))
  annotate(fails ? 'error' : 'warning', `${agent ?? 'An agent'} looped in session ${sessionId}`, reason);
appendFileSync(GITHUB_OUTPUT, `loops=${loops}\nwasted-usd=${Number(wasted.usd.toFixed(6))}\n`);
appendFileSync(GITHUB_STEP_SUMMARY, summary());
if (status !== 0 && status !== LOOPS_FOUND) {
  annotate('error', 'Loopwatch', `loopwatch scan ended with ${status}; its output above says why`);
  process.exit(status);
}
process.exit(loops > 0 && fails ? 1 : 0);

/** Texts come from transcripts, so nothing in them may end the command. */
function annotate(level, title, message) {
  const data = (value) => value.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
  const property = (value) => data(value).replace(/:/g, '%3A').replace(/,/g, '%2C');
  console.log(`::${level} title=${property(title)}::${data(message)}`);
}

function summary() {
  if (sessions === 0) return '### Loopwatch: no session to evaluate\n';
  if (loops === 0) return `### Loopwatch: no loops in ${count(sessions, 'session')}\n`;
  const rows = worst.map((loop) =>
    [
      plain(loop.reason),
      plain(loop.prompt ?? loop.sessionId),
      plain(loop.agent ?? ''),
      loop.wasted.calls,
      usd(loop.wasted.usd),
    ].join(' | '),
  );
  return `${[
    `### Loopwatch: ${count(loops, 'loop')} in ${sessionsWithLoops} of ${count(sessions, 'session')}`,
    '',
    `${count(wasted.calls, 'call')} of ${used.calls}, ${wasted.tokens} of ${used.tokens} tokens and ${usd(wasted.usd)} of ${usd(used.usd)} were wasted.`,
    '',
    '| Loop | Session | Agent | Calls wasted | Cost wasted |',
    '| --- | --- | --- | ---: | ---: |',
    ...rows.map((row) => `| ${row} |`),
    ...(loops > worst.length ? ['', `These are the ${worst.length} most expensive ones.`] : []),
  ].join('\n')}\n`;
}

/** Text in a cell of a table, without markup. */
function plain(value) {
  return value.replace(/\s+/g, ' ').replace(/[!-/:-@[-`{-~]/g, '\\$&');
}

function count(number, noun) {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function usd(value) {
  return value == null ? 'unknown' : value > 0 && value < 0.01 ? '<$0.01' : `$${value.toFixed(2)}`;
}
