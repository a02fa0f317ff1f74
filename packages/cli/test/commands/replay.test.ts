import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Verdict, verdictSchema } from '@loopwatch/contract';
import { createSessionAnalyzer, semanticLayer } from '@loopwatch/detectors';
import { type CliProcess, spawnCli, startModelServer, tempDir } from '@loopwatch/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { samplesDir } from '../../src/runtime/installation.ts';

/** Starting a process is slow on a busy machine. */
const TIMEOUT = 60_000;

const sample = (name: string) => join(samplesDir, `${name}.events.jsonl`);
const calls = (sessionId: string, count: number) =>
  Array.from({ length: count }, () => ({ sessionId, type: 'tool_call_request', name: 'ls' }));
const jsonLines = (events: readonly unknown[]) =>
  events.map((event) => `${JSON.stringify(event)}\n`).join('');

async function filesOf<Name extends string>(
  contents: Record<Name, string | Buffer>,
): Promise<Record<Name, string>> {
  const dir = await tempDir();
  onTestFinished(() => dir.remove());
  const entries = Object.entries<string | Buffer>(contents).map(async ([name, content]) => {
    const path = join(dir.path, name);
    await writeFile(path, content);
    return [name, path] as const;
  });
  return Object.fromEntries(await Promise.all(entries)) as Record<Name, string>;
}

interface Ended extends Pick<CliProcess, 'stdout' | 'stderr'> {
  readonly code: number | NodeJS.Signals;
}

/** Runs a command to its end, without brokers unless the test names some. */
async function run(
  args: readonly string[],
  { input = '', env = {} }: { input?: string; env?: Record<string, string> } = {},
): Promise<Ended> {
  const cli = spawnCli(args, { KAFKA_BROKERS: '', ...env });
  onTestFinished(() => cli[Symbol.asyncDispose]());
  cli.write(input);
  const code = await cli.exited;
  return { code, stdout: cli.stdout, stderr: cli.stderr };
}

function verdictsIn({ stdout }: Ended): Verdict[] {
  return stdout.map((line) => verdictSchema.parse(JSON.parse(line)));
}

describe('loopwatch replay', { timeout: TIMEOUT }, () => {
  it('replay: counts the history once that a forked session begins with', async () => {
    const record = (sessionId: string, i: number) => {
      const content = [{ type: 'tool_use', id: `t${String(i)}`, name: 'Read', input: { file_path: 'a' } }];
      const message = { id: `m${String(i)}`, role: 'assistant', content };
      return { type: 'assistant', uuid: `u${String(i)}`, sessionId, message };
    };
    const six = [1, 2, 3, 4, 5, 6];
    const files = await filesOf({
      original: jsonLines(six.map((i) => record('a', i))),
      fork: jsonLines(six.map((i) => record('b', i))),
    });
    const { stdout } = await run(['replay', files.original, files.fork]);
    expect(stdout.at(-1)).toMatch(/\b1 loop in 1 session\b/);
  });

  it('replay: says only that the file does not exist if there is no other', async () => {
    const { code, stdout, stderr } = await run(['replay', 'missing.jsonl']);
    expect(code).toBe(2);
    expect(stdout).toEqual([]);
    expect(stderr).toEqual(['missing.jsonl: no such file']);
  });

  it('replay: exits with 4 and says so if most records of a file were not understood', async () => {
    const call = {
      type: 'assistant',
      uuid: 'a',
      sessionId: 's',
      message: { id: 'm', content: [{ type: 'tool_use', id: 't', name: 'ls', input: {} }] },
    };
    const odd = { type: 'turn_of_the_next_version', uuid: 'u', detail: {} };
    const progress = { type: 'progress', uuid: 'p', data: {} };
    const { odds, known } = await filesOf({
      odds: jsonLines([call, odd, odd]),
      known: jsonLines([call, odd, progress, progress]),
    });
    const ended = await run(['replay', odds, '--json']);
    expect(ended.code).toBe(4);
    expect(ended.stderr[0]).toBe(
      `${odds}: 2 of 3 records were not understood, most of type "turn_of_the_next_version": the result does not cover them`,
    );
    expect(await run(['replay', known, '--json'])).toMatchObject({ code: 0 });
  });

  it('replay: prints only verdicts with --json, for several files, and exits with 3', async () => {
    const files = await filesOf({
      'packed.jsonl.gz': gzipSync(readFileSync(sample('tool-repeat-read-file'))),
      'one.jsonl': `\n${jsonLines(calls('across files', 2))}\n`,
      'two.jsonl': jsonLines(calls('across files', 3)).replaceAll('\n', '\r\n'),
    });
    const inputs = [...Object.values(files), sample('content-chant')];
    const ended = await run(['replay', ...inputs, '--preset', 'stream', '--json']);
    const opened = verdictsIn(ended).filter(({ phase }) => phase === 'opened');
    expect(opened.map(({ detector, preset }) => [detector, preset])).toEqual([
      ['tool-repeat', 'stream'],
      ['tool-repeat', 'stream'],
      ['content-repeat', 'stream'],
    ]);
    expect(opened[1]).toMatchObject({ sessionId: 'across files', count: 5, eventIndex: 4, time: 0 });
    expect(ended).toMatchObject({ code: 3, stderr: [] });
  });

  it('replay: reports bad input by file and line, analyses the rest, and exits with 2 in spite of loops', async () => {
    // Far beyond the first chunk.
    const half = gzipSync(`${jsonLines(calls('cut off', 19_999))}?\n${jsonLines(calls('cut off', 9999))}`);
    const files = await filesOf({
      'a.jsonl': `${jsonLines(calls('a', 3))}no json\n\n{"type":"content"}\n${jsonLines(calls('a', 2))}`,
      'b.jsonl': `7\n${jsonLines(calls('b', 5))}`,
      'c.gz': half.subarray(0, half.length - 10),
    });
    const missing = join(samplesDir, 'nowhere.jsonl');
    const inputs = [files['a.jsonl'], missing, files['c.gz'], files['b.jsonl']];
    const ended = await run(['replay', ...inputs, '--preset', 'stream', '--json']);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toEqual([
      expect.stringMatching(`^${files['a.jsonl']}:4: .*JSON`),
      expect.stringMatching(`^${files['a.jsonl']}:6: text: `),
      `${missing}: no such file`,
      expect.stringMatching(`^${files['c.gz']}:20000: .*JSON`),
      `${files['c.gz']}: the gzip file is truncated`,
      `${files['b.jsonl']}:1: expected a JSON object, got a number`,
    ]);
    const found = verdictsIn(ended).filter(({ phase }) => phase === 'opened');
    expect(found.map(({ sessionId, eventIndex }) => [sessionId, eventIndex])).toEqual(
      expect.arrayContaining([
        ['a', 4],
        ['b', 4],
      ]),
    );
  });

  it('replay: reads stdin, and exits with 0 without loops', async () => {
    const input = readFileSync(sample('test-edit-test'), 'utf8');
    const events = input.trim().split('\n').length;
    const ended = await run(['replay', '-', '--preset', 'stream'], { input });
    expect(ended).toMatchObject({ code: 0, stderr: [] });
    expect(ended.stdout).toEqual([
      expect.stringMatching(`^0 loops; ${String(events)} events in \\d+\\.\\d s, preset stream$`),
    ]);
  });

  it('replay: ignores a half-written last line, and says that no calls were read', async () => {
    const input = `${jsonLines([{ sessionId: 's', type: 'content', text: 'Done.' }])}{"sessionId":"s","ty`;
    const ended = await run(['replay', '-'], { input });
    expect(ended).toMatchObject({
      code: 0,
      stderr: ['no tool calls were read: only texts were compared'],
      stdout: [expect.stringMatching(/^0 loops; 1 event \(ignored: 1 unfinished last line\) in/)],
    });
  });

  it('replay: tells the loops of different days apart in a session that started over', async () => {
    const day = (date: number) =>
      calls('s', 4).map((call, n) => ({ ...call, time: Date.UTC(2026, 10, date, 8, 0, n) }));
    const ended = await run(['replay', '-'], { input: jsonLines([...day(1), ...day(3)]) });
    expect(ended.stdout.filter((line) => line.startsWith('opened'))).toEqual([
      expect.stringContaining(' s at event 3, 2026-11-01 08:00:03 UTC: ls was called 4 times in a row'),
      expect.stringContaining(' s at event 3, 2026-11-03 08:00:03 UTC: ls was called 4 times in a row'),
    ]);
  });

  it('replay: reports an outage, which is not a loop', async () => {
    const failed = { sessionId: 's', type: 'tool_result', result: 'HTTP 503 Service Unavailable' };
    const input = jsonLines(calls('s', 3).flatMap((made) => [made, failed]));
    const ended = await run(['replay', '-'], { input });
    expect(ended).toMatchObject({ code: 0, stderr: [] });
    expect(ended.stdout).toEqual([
      expect.stringMatching(/^opened {4}outage {9}warn {6}s at event 5: 3 steps in a row failed/),
      expect.stringMatching(/^0 loops, 1 outage; 6 events in \d+\.\d s, preset balanced$/),
    ]);
  });

  it('replay: reports a limit, which is not a loop', async () => {
    const input = jsonLines(calls('s', 3).map((call, n) => ({ ...call, args: { n } })));
    const ended = await run(['replay', '-', '--set', 'budget.calls=2'], { input });
    expect(ended).toMatchObject({ code: 0, stderr: [] });
    expect(ended.stdout).toEqual([
      expect.stringMatching(/^opened {4}budget {9}block {5}s at event 2: This session has used its budget/),
      expect.stringMatching(/^0 loops, 1 limit; 3 events in \d+\.\d s, preset balanced$/),
    ]);
  });

  it('replay: applies --preset and --set, prints warnings, and summarizes the findings', async () => {
    const set = { sessionId: 's', type: 'control', set: { unheard_of: 1 } };
    const input = `${jsonLines([set, ...calls('s', 3), { sessionId: 's', type: 'session_ended' }])}x\n`;
    const flags = [
      '--preset',
      'proxy',
      '--set',
      'tool_call_loop.max_repeats=3',
      '--set',
      'tool_call_loop.mode=warn',
    ];
    const ended = await run(['replay', '-', ...flags], { input, env: { LOOPWATCH_PRSET: 'api' } });
    expect(ended.code).toBe(2);
    expect(ended.stdout).toEqual([
      'opened    tool-repeat    warn      s at event 3: ls was called 3 times in a row within 120 seconds with the same arguments',
      'resolved  tool-repeat    ended     s at event 4: ls was called 3 times with the same arguments; the prompt or session ended',
      expect.stringMatching(/^1 loop in 1 session; 5 events, 1 bad line in \d+\.\d s, preset proxy$/),
    ]);
    expect(ended.stderr).toEqual([
      expect.stringMatching(/^warning: .*LOOPWATCH_PRSET.*LOOPWATCH_PRESET/),
      expect.stringMatching(/^setting rejected in session s: unheard_of is no setting/),
      expect.stringMatching(/^-:6: .*JSON/),
    ]);
  });

  it('replay: reports unknown presets and settings all at once', async () => {
    const ended = await run([
      'replay',
      '-',
      '--preset',
      'balancd',
      '--set',
      'log.levl=info',
      '--set',
      'nonsense',
    ]);
    expect(ended).toMatchObject({ code: 2, stdout: [] });
    const said = ended.stderr.join('\n');
    expect(said).toMatch(/--preset.*balancd.*stream, proxy, similar/);
    expect(said).toMatch(/unknown key log\.levl; did you mean level\?/);
    expect(said).toMatch(/--set: expected path=value, got "nonsense"/);
  });

  it('replay: rejects an unknown format and lists the known ones', async () => {
    const ended = await run(['replay', '-', '--format', 'morse']);
    expect(ended).toMatchObject({ code: 2, stdout: [] });
    expect(ended.stderr.join('\n')).toMatch(/--format.*morse.*Known formats: auto, canonical, claude-code/);
  });
});

describe('loopwatch', { timeout: TIMEOUT }, () => {
  it('loopwatch: rejects an unknown command', async () => {
    const ended = await run(['replya']);
    expect(ended).toMatchObject({ code: 2, stdout: [] });
    expect(ended.stderr.join('\n')).toMatch(
      /unknown command 'replya'[\s\S]*Did you mean replay\?[\s\S]*--help/,
    );
  });

  it('worker: explains how to configure brokers when there are none', async () => {
    const ended = await run(['worker']);
    expect(ended).toMatchObject({ code: 2, stdout: [] });
    expect(ended.stderr.join('\n')).toMatch(
      /--brokers host:9092, KAFKA_BROKERS or kafka\.brokers.*loopwatch start/,
    );
  });

  it('config --check: reports whether the configuration is valid', async () => {
    const files = await filesOf({ 'bad.yaml': 'preset: proxi\nkafka:\n  brokrs: []\n' });
    const [good, bad] = await Promise.all([
      run(['config', '--check', '--set', 'preset=proxy']),
      run(['config', '--check', '--config', files['bad.yaml']]),
    ]);
    expect(good).toEqual({ code: 0, stdout: ['configuration is valid'], stderr: [] });
    expect(bad).toMatchObject({ code: 2, stdout: [] });
    expect(bad.stderr.join('\n')).toMatch(/proxi[\s\S]*brokrs.*brokers/);
  });

  it('loopwatch --help: lists the commands', async () => {
    const ended = await run(['--help']);
    expect(ended).toMatchObject({ code: 0, stderr: [] });
    const commands = ended.stdout.flatMap((line) => /^ {2}(\w+) +\w/.exec(line)?.[1] ?? []);
    expect(commands).toEqual(
      expect.arrayContaining([
        'start',
        'worker',
        'server',
        'replay',
        'produce',
        'topics',
        'config',
        'doctor',
      ]),
    );
  });
});

describe('loopwatch replay with a model', { timeout: TIMEOUT }, () => {
  const turns = jsonLines(Array.from({ length: 44 }, () => ({ sessionId: 's', type: 'turn_started' })));
  const flags = ['--set', 'llm.model=judge', '--set'];

  it('replay with a model: waits for each answer, so that checks run at the turns of the rules', async () => {
    await using model = await startModelServer((_, i) => ({
      text: JSON.stringify({ analysis: 'back and forth', confidence: [0.9, 0.91][i] ?? 0 }),
    }));
    const ended = await run(['replay', '-', '--json', ...flags, `llm.base_url=${model.url}`], {
      input: turns,
    });
    expect(
      verdictsIn(ended).map(({ phase, eventIndex, confidence }) => [phase, eventIndex, confidence]),
    ).toEqual([
      ['opened', 35, 0.91],
      ['resolved', 41, 0],
    ]);
    expect(ended).toMatchObject({ code: 3, stderr: [] });
  });

  it('replay --checks: uses recorded answers instead of the model, and reports invalid lines', async () => {
    const analyzer = createSessionAnalyzer({ preset: 'stream' }, { semantic: semanticLayer });
    for (let i = 0; i < 30; i += 1) analyzer.push({ sessionId: 's', type: 'turn_started' });
    const { messages, threshold, ...check } = analyzer.takeCheck()!;
    expect([messages.length, threshold]).toEqual([2, 0.9]);
    const answer = { v: 1, ...check, model: 'm', analysis: 'a', confidence: 1, failure: null };
    const files = await filesOf({
      'good.jsonl': jsonLines([answer]),
      'bad.jsonl': `${jsonLines([answer])}{}\n`,
    });
    const [good, bad] = await Promise.all([
      run(['replay', '-', '--json', '--checks', files['good.jsonl']], { input: turns }),
      run(['replay', '-', '--checks', files['bad.jsonl']], { input: turns }),
    ]);
    expect(verdictsIn(good)).toMatchObject([
      { phase: 'opened', eventIndex: 29, evidence: { analysis: 'a' } },
    ]);
    expect(bad).toMatchObject({ code: 2, stdout: [] });
    expect(bad.stderr.join()).toMatch(/--checks .*bad\.jsonl:2: not a recorded answer/);
  });
});
