import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { foundLoops, isQuiet, quietAlarms, readFindings } from './findings.ts';
import { readOptions } from './options.ts';
import { runPresets } from './run-presets.ts';
import { labelTable, row, run } from './test-runs.ts';

const madeUp = join(import.meta.dirname, 'data/made-up');
const root = mkdtempSync(join(tmpdir(), 'loopwatch-eval-'));
afterAll(() => {
  rmSync(root, { recursive: true });
});

function write(path: string, content: string | Uint8Array): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

const lines = (records: readonly object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');

/** A session that calls one tool with the same arguments and result. */
const repeats = (sessionId: string, times: number, result: object = { result: 'same' }) =>
  Array.from({ length: times }, (_, n) => [
    { sessionId, type: 'tool_call_request', callId: `c${n}`, name: 'read', args: { path: 'a' } },
    { sessionId, type: 'tool_result', callId: `c${n}`, ...result },
  ]).flat();

const data = join(root, 'data');
const home = join(root, 'home');
write('data/shop/shop.events.jsonl.gz', gzipSync(readFileSync(join(madeUp, 'events.jsonl'))));
write(
  'data/mini-swe-agent.events.jsonl.gz',
  gzipSync(
    lines([
      ...repeats('m-loop', 5),
      ...repeats('m-fine', 2),
      ...repeats('m-outage', 6, { result: 'HTTP 503 Service Unavailable', isError: true }),
    ]),
  ),
);
write('data/shop/notes.jsonl', 'not events\n');
const shop = readFileSync(join(madeUp, 'labels.jsonl'), 'utf8').replaceAll('{"s', '{"source":"shop","s');
write('home/labels/shop.jsonl', shop);
write(
  'home/labels/others.jsonl',
  '{"sessionId":"m-gone","source":"mini-swe-agent","verdict":"loop"}\n' +
    '{"sessionId":"w-1","source":"web-agents","verdict":"loop"}\n',
);

describe('evaluation of a data folder', () => {
  it('eval: each file of events in the folder is a source, with a total over all', async () => {
    const { code, out } = await run(['--data', data], { home });
    expect(code).toBe(0);
    expect(row(out, 'balanced', 'shop')).toEqual('balanced,shop,8,57,4,4,70.2,0'.split(','));
    expect(row(out, 'balanced', 'mini-swe-agent')).toEqual(
      'balanced,mini-swe-agent,3,13,1,1,76.9,1'.split(','),
    );
    expect(row(out, 'balanced', 'all')).toEqual('balanced,all,11,70,5,5,71.4,1'.split(','));
    expect(out).not.toContain('notes');
  });

  it('eval: compares each labelled source with its labels, and lists labels without a session', async () => {
    const { out } = await run(['--data', data], { home });
    expect(row(labelTable(out), 'balanced', 'shop').slice(2, 8)).toEqual([
      '6',
      '2',
      '1',
      '0',
      '100.0 %',
      '66.7 %',
    ]);
    expect(row(labelTable(out), 'balanced', 'mini-swe-agent')).toEqual([]);
    expect(row(out, 'not in the events')).toEqual(['not in the events', '', 'm-gone', '']);
    expect(out).not.toContain('w-1');
  });

  it('eval by source: lists flagged sessions without a label on request', async () => {
    const { out } = await run(['--data', data, '--flagged'], { home });
    expect(row(out, 'mini-swe-agent', 'm-loop')).toEqual(['mini-swe-agent', 'm-loop', 'tool-repeat@5']);
    expect(row(out, 'shop', 'unlabelled-loop')).toEqual(['shop', 'unlabelled-loop', 'tool-repeat@6']);
  });

  it('eval: LOOPWATCH_SHARED_DATA is the default folder', async () => {
    const named = await run(['--data', data], { home });
    expect(await run([], { home, environment: { LOOPWATCH_SHARED_DATA: data } })).toEqual(named);
  });

  it('eval by source: --json prints one object', async () => {
    const { out } = await run(['--data', data, '--json', '--preset', 'balanced,stream'], { home });
    const { presets } = JSON.parse(out) as {
      presets: { preset: string; sources: object[]; sessions: object[] }[];
    };
    expect(presets.map(({ preset }) => preset)).toEqual(['balanced', 'stream']);
    expect(presets[0]?.sources).toMatchObject([
      { source: 'mini-swe-agent', sessions: 3, alarms: 1, outages: 1 },
      { source: 'shop', found: 2, missed: 1, falseAlarms: 0, recall: 2 / 3 },
    ]);
    expect(presets[0]?.sessions).toContainEqual({
      source: 'mini-swe-agent',
      sessionId: 'm-loop',
      calls: 5,
      alarms: 1,
      outages: 0,
      hits: [{ rule: 'tool-repeat', eventIndex: 5, callIndex: 2 }],
      verdict: null,
      outcome: 'unlabelled_flagged',
      delay: null,
      premature: false,
    });
  });

  it('eval: reports progress', async () => {
    const told: string[] = [];
    const { sources } = readOptions(['--data', data], home, {});
    await runPresets(['stream'], sources, (text) => told.push(text()));
    expect(told.at(-1)).toMatch(/^shop: 100 % of \d+ events$/);
  });
});

describe('findings list', () => {
  const written = join(home, 'found.jsonl');

  it('findings list: contains found labelled loops and alarms in quiet sources', async () => {
    write('data/more/web-agents.events.jsonl', lines(repeats('w-1', 4)));
    const { code, err } = await run(['--data', data, '--write-found'], { home });
    rmSync(join(data, 'more'), { recursive: true });
    expect({ code, err }).toEqual({ code: 0, err: `${written}: 3 loops found, 1 alarms in ordinary work\n` });
    const found = readFindings(written);
    expect(foundLoops(found)).toEqual(['shop loop-cycle', 'shop loop-identical', 'web-agents w-1']);
    expect(quietAlarms(found)).toEqual(['mini-swe-agent m-loop tool-repeat']);
  });

  it('findings list: every alarm in ordinary work is documented', () => {
    const own = readFindings(join(import.meta.dirname, 'data/found.jsonl')).filter(isQuiet);
    const page = readFileSync(join(import.meta.dirname, '../../docs/detectors/balanced.md'), 'utf8');
    const described = page.slice(page.indexOf('## Alarms in ordinary work'));
    expect(own.filter(({ sessionId }) => !described.includes(`\`${sessionId}\``))).toEqual([]);
  });

  it('findings list: an update reports loops no longer found', async () => {
    write('data/more/web-agents.events.jsonl', lines(repeats('w-1', 1)));
    const { err } = await run(['--data', data, '--write-found'], { home });
    rmSync(join(data, 'more'), { recursive: true });
    expect(err).toMatch(/2 loops found.*\nno longer found: web-agents w-1\n$/);
    expect(foundLoops(readFindings(written))).toEqual(['shop loop-cycle', 'shop loop-identical']);
  });

  it('findings list: is not written from a part of the labelled sources', async () => {
    const { code, err } = await run(['--data', data, '--write-found'], { home });
    expect({ code, err }).toEqual({
      code: 2,
      err: '--write-found takes all recorded data; there is none of web-agents\n',
    });
  });
});

describe('eval with wrong options', () => {
  it.each([
    {
      fault: 'a missing folder',
      args: ['--data', 'gone'],
      message: /gone: no recorded events[^]*--data FOLDER/,
    },
    { fault: 'a folder and files', args: ['--data', data, 'a', 'b'], message: /npm run eval/ },
    {
      fault: 'a list for another preset',
      args: ['--data', data, '--preset', 'stream', '--write-found'],
      message: /balanced/,
    },
    { fault: 'a list from given files', args: ['a', 'b', '--write-found'], message: /EVENTS LABELS/ },
  ])('eval: exits with 2 for $fault', async ({ args, message }) => {
    const { code, out, err } = await run(args, { home });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(message);
  });

  it('eval: exits with 2 for two files of one name, and names both', async () => {
    const twice = join(root, 'twice');
    for (const part of ['a', 'b']) write(`twice/${part}/x.events.jsonl`, lines(repeats('s', 1)));
    const { code, err } = await run(['--data', twice], { home });
    expect(code).toBe(2);
    expect(err).toMatch(/b\/x\.events\.jsonl: .*a\/x\.events\.jsonl has the same name/);
  });
});
