import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { main } from './main.ts';

const events = join(import.meta.dirname, 'data/events.jsonl');
const labels = join(import.meta.dirname, 'data/labels.jsonl');
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'loopwatch-eval-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const text = { out: '', err: '' };
  const code = await main(
    args,
    (out) => (text.out += out),
    (err) => (text.err += err),
  );
  return { code, ...text };
}

/** The cells of the row that begins so. */
function row(table: string, ...start: string[]): string[] {
  const rows = table.split('\n').map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  return rows.find((cells) => start.every((cell, i) => cells[i] === cell)) ?? [];
}

function file(name: string, content: string | Uint8Array): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

describe('the evaluation', () => {
  it('counts loops, misses and false alarms of each preset, the borderline ones in neither', async () => {
    const { code, out } = await run(events, labels, '--preset', 'balanced,stream');
    expect(code).toBe(0);
    expect(row(out, 'balanced')).toEqual('balanced,2,1,0,100.0 %,66.7 %,2,1,500.0'.split(','));
    expect(row(out, 'stream')).toEqual('stream,1,2,1,50.0 %,33.3 %,2,1,500.0'.split(','));
  });

  it('says of each rule what it found, what no other did, and where it first fired', async () => {
    const { out } = await run(events, labels);
    expect(row(out, 'tool-cycle')).toEqual('tool-cycle,1,1,0,100.0 %,33.3 %,12,0'.split(','));
    expect(row(out, 'tool-repeat')).toEqual('tool-repeat,1,1,0,100.0 %,33.3 %,6,1'.split(','));
  });

  it('names what was missed, the false alarms, and all borderline sessions with what they got', async () => {
    const { out } = await run(events, labels, '--preset', 'stream');
    expect(row(out, 'missed', 'loop-cycle')).toEqual(['missed', 'loop-cycle', '']);
    expect(row(out, 'false alarm')).toEqual(['false alarm', 'fine-polling', 'tool-repeat@9']);
    expect(row(out, 'borderline')).toEqual(['borderline', 'borderline-again', '']);
    expect(out).not.toContain('unlabelled-loop');
  });

  it('names flagged sessions without a label when asked', async () => {
    const { out } = await run(events, labels, '--flagged');
    expect(row(out, 'unlabelled-loop')).toEqual(['unlabelled-loop', 'tool-repeat@6']);
  });

  it('takes compressed files, several of them, and patterns', async () => {
    const lines = readFileSync(events, 'utf8').trimEnd().split('\n');
    file('part-1.jsonl.gz', gzipSync(`${lines.slice(0, 40).join('\n')}\n`));
    file('part-2.jsonl.gz', gzipSync(lines.slice(40).join('\n')));
    const expected = await run(events, labels);
    expect(await run(join(folder, 'part-*.gz'), labels)).toEqual(expected);
    const [one, two] = [join(folder, 'part-1.jsonl.gz'), join(folder, 'part-2.jsonl.gz')];
    expect(await run(`${one},${two}`, labels)).toEqual(expected);
  });

  it('leaves labels out whose session is not in the events, and says so', async () => {
    const more = file('more.jsonl', `${readFileSync(labels, 'utf8')}{"sessionId":"gone","verdict":"loop"}\n`);
    const { out } = await run(events, more);
    expect(row(out, 'balanced')[5]).toBe('66.7 %');
    expect(row(out, 'not in the events')).toEqual(['not in the events', 'gone', '']);
  });

  it.each([
    { fault: 'no labels', args: () => [events], message: /npm run eval/ },
    { fault: 'an unknown flag', args: () => [events, labels, '--prset', 'x'], message: /prset[^]*npm run/ },
    { fault: 'an unknown preset', args: () => [events, labels, '--preset', 'fast'], message: /"fast"/ },
    { fault: 'a missing file', args: () => ['gone.jsonl', labels], message: /^gone.jsonl: no such file/ },
    {
      fault: 'a pattern that fits none',
      args: () => [join(folder, 'x*'), labels],
      message: /x\*: no such file/,
    },
    { fault: 'missing labels', args: () => [events, 'gone.jsonl'], message: /^gone.jsonl: no such file/ },
    {
      fault: 'a line that is no JSON',
      args: () => [file('bad.jsonl', '{"type":"turn_started","sessionId":"s"}\n{"type"\n'), labels],
      message: /bad\.jsonl:2: not a JSON object/,
    },
    {
      fault: 'an event that the contract refuses',
      args: () => [file('bad.jsonl', '{"type":"content","sessionId":"s"}'), labels],
      message: /bad\.jsonl:1: /,
    },
    {
      fault: 'an event of no session',
      args: () => [file('bad.jsonl', '{"type":"turn_started"}'), labels],
      message: /bad\.jsonl:1: an event needs a "sessionId"/,
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
      message: /"verdict" is maybe; allowed: loop/,
    },
    {
      fault: 'a session labelled twice',
      args: () => [events, file('bad.jsonl', '{"sessionId":"s","verdict":"loop"}\n'.repeat(2))],
      message: /bad\.jsonl:2: s has a label already/,
    },
  ])('ends with 2 on $fault', async ({ args, message }) => {
    const { code, out, err } = await run(...args());
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err).toMatch(message);
  });
});
