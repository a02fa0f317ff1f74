import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { labelTable, row, run } from './test-runs.ts';

const events = join(import.meta.dirname, 'data/made-up/events.jsonl');
const labels = join(import.meta.dirname, 'data/made-up/labels.jsonl');
const folder = mkdtempSync(join(tmpdir(), 'loopwatch-eval-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function file(name: string, content: string | Uint8Array): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

describe('evaluation', () => {
  it('eval: counts sessions, calls, alarms and outages of each preset', async () => {
    const { code, out } = await run([events, labels, '--preset', 'balanced,stream']);
    expect(code).toBe(0);
    expect(row(out, 'balanced', 'all')).toEqual('balanced,all,8,57,4,4,70.2,0'.split(','));
    expect(row(out, 'stream', 'all')).toEqual('stream,all,8,57,3,3,52.6,0'.split(','));
  });

  it('eval: counts loops, misses and false alarms of each preset, without borderline sessions', async () => {
    const { out } = await run([events, labels, '--preset', 'balanced,stream']);
    expect(row(labelTable(out), 'balanced')).toEqual(
      'balanced,all,6,2,1,0,100.0 %,66.7 %,1 of 1,1 of 2,-,-'.split(','),
    );
    expect(row(labelTable(out), 'stream')).toEqual(
      'stream,all,6,1,2,1,50.0 %,33.3 %,0 of 1,1 of 2,-,-'.split(','),
    );
  });

  it('eval: shows what each rule found, found alone, and where it first fired', async () => {
    const { out } = await run([events, labels]);
    expect(row(out, 'tool-cycle')).toEqual('tool-cycle,1,1,0,100.0 %,33.3 %,12,0'.split(','));
    expect(row(out, 'tool-repeat')).toEqual('tool-repeat,1,1,0,100.0 %,33.3 %,6,1'.split(','));
  });

  it('eval: shows percentiles of the detection delay in calls', async () => {
    const early = file(
      'early.jsonl',
      '{"sessionId":"loop-identical","verdict":"loop","at":1}\n{"sessionId":"loop-cycle","verdict":"loop","at":9}\n' +
        '{"sessionId":"loop-missed","verdict":"loop","at":2}\n{"sessionId":"fine-paging","verdict":"not_loop","at":null}\n',
    );
    const { out } = await run([events, early]);
    expect(row(labelTable(out), 'balanced').slice(-2)).toEqual(['-4', '1']);
  });

  it('eval: lists found loops with an alarm before the loop starts', async () => {
    const later = file(
      'later.jsonl',
      '{"sessionId":"loop-identical","verdict":"loop","fromCall":3,"at":4}\n' +
        '{"sessionId":"loop-cycle","verdict":"loop","fromCall":5,"at":6}\n',
    );
    const { out } = await run([events, later]);
    expect(row(out, 'before the loop')).toEqual([
      'before the loop',
      events,
      'loop-identical',
      'tool-repeat@6',
    ]);
    expect(out).not.toContain('loop-cycle');
  });

  it('eval: lists misses, false alarms and all borderline sessions with their outcome', async () => {
    const { out } = await run([events, labels, '--preset', 'stream']);
    expect(row(out, 'missed')).toEqual(['missed', events, 'loop-cycle', '']);
    expect(row(out, 'false alarm')).toEqual(['false alarm', events, 'fine-polling', 'tool-repeat@9']);
    expect(row(out, 'borderline')).toEqual(['borderline', events, 'borderline-again', '']);
    expect(out).not.toContain('unlabelled-loop');
  });

  it('eval: lists flagged sessions without a label on request', async () => {
    const { out } = await run([events, labels, '--flagged']);
    expect(row(out, events, 'unlabelled-loop')).toEqual([events, 'unlabelled-loop', 'tool-repeat@6']);
  });

  it('eval: accepts compressed files, several files and patterns', async () => {
    const lines = readFileSync(events, 'utf8').trimEnd().split('\n');
    file('part-1.jsonl.gz', gzipSync(`${lines.slice(0, 40).join('\n')}\n`));
    file('part-2.jsonl.gz', gzipSync(lines.slice(40).join('\n')));
    const tables = async (from: string) => (await run([from, labels])).out.replaceAll(from, events);
    const expected = (await run([events, labels])).out.replaceAll(/ +|-{3,}/g, '');
    const pattern = join(folder, 'part-*.gz');
    const both = `${join(folder, 'part-1.jsonl.gz')},${join(folder, 'part-2.jsonl.gz')}`;
    for (const from of [pattern, both])
      expect((await tables(from)).replaceAll(/ +|-{3,}/g, '')).toBe(expected);
  });

  it('eval: ignores labels without a session in the events, and reports them', async () => {
    const more = file('more.jsonl', `${readFileSync(labels, 'utf8')}{"sessionId":"gone","verdict":"loop"}\n`);
    const { out } = await run([events, more]);
    expect(row(labelTable(out), 'balanced')[7]).toBe('66.7 %');
    expect(row(out, 'not in the events')).toEqual(['not in the events', '', 'gone', '']);
  });

  it.each([
    { fault: 'no labels', args: () => [events], message: /npm run eval/ },
    { fault: 'an unknown flag', args: () => [events, labels, '--prset', 'x'], message: /prset[^]*npm run/ },
    { fault: 'an unknown preset', args: () => [events, labels, '--preset', 'fast'], message: /"fast"/ },
    { fault: 'a missing file', args: () => ['gone.jsonl', labels], message: /^gone.jsonl: no such file/ },
    {
      fault: 'a pattern without matches',
      args: () => [join(folder, 'x*'), labels],
      message: /x\*: no such file/,
    },
    { fault: 'missing labels', args: () => [events, 'gone.jsonl'], message: /^gone.jsonl: no such file/ },
    {
      fault: 'a line of invalid JSON',
      args: () => [file('bad.jsonl', '{"type":"turn_started","sessionId":"s"}\n{"type"\n'), labels],
      message: /bad\.jsonl:2: .*JSON/,
    },
    {
      fault: 'an invalid event',
      args: () => [file('bad.jsonl', '{"type":"content","sessionId":"s"}'), labels],
      message: /bad\.jsonl:1: /,
    },
    {
      fault: 'an event without a session',
      args: () => [file('bad.jsonl', '{"type":"turn_started"}'), labels],
      message: /bad\.jsonl:1: set "sessionId"/,
    },
    {
      fault: 'a file that is not compressed',
      args: () => [file('bad.gz', 'plain'), labels],
      message: /bad\.gz: /,
    },
    { fault: 'no events at all', args: () => [file('empty.jsonl', '\n'), labels], message: /no events/ },
    {
      fault: 'an unknown verdict',
      args: () => [events, file('bad.jsonl', '{"sessionId":"s","verdict":"maybe"}')],
      message: /bad\.jsonl:1: verdict: .*"loop"\|"not_loop"/,
    },
    {
      fault: 'a session labelled twice',
      args: () => [events, file('bad.jsonl', '{"sessionId":"s","verdict":"loop"}\n'.repeat(2))],
      message: /bad\.jsonl:2: s has a label already/,
    },
  ])('eval: exits with 2 on $fault', async ({ args, message }) => {
    const { code, out, err } = await run(args());
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err).toMatch(message);
  });
});
