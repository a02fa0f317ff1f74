import { beforeEach, describe, expect, it } from 'vitest';
import { BadLines } from '../../src/events/bad-lines.ts';

const said: string[] = [];
let bad = new BadLines();
beforeEach(() => {
  said.length = 0;
  bad = new BadLines((text) => said.push(text));
});

const add = (file: string, from: number, to: number) => {
  for (let line = from; line <= to; line += 1) bad.add(file, line, 'no JSON');
};

describe('bad lines', () => {
  it('bad lines: are reported at once, with file and line', () => {
    bad.add('a.jsonl', 3, 'no JSON');
    expect(said).toEqual(['a.jsonl:3: no JSON\n']);
    bad.add('b.jsonl', 1, 'text: expected string');
    expect(said.at(-1)).toBe('b.jsonl:1: text: expected string\n');
    expect(bad.total).toBe(2);
  });

  it('bad lines: are truncated, and cannot control the terminal', () => {
    bad.add('a.jsonl', 3, `Unexpected token '\u001b[2J\u0000', ${'x'.repeat(1000)}`);
    expect(said[0]).toMatch(/^a\.jsonl:3: Unexpected token ' \[2J ', x+\n$/);
    expect(said[0]?.length).toBeLessThan(330);
  });

  it('bad lines: at most twenty are listed per file, and the others counted', () => {
    add('a.jsonl', 2, 21);
    add('b.jsonl', 2, 2);
    expect(said).toHaveLength(21);
    bad.finish();
    expect(said).toHaveLength(21);
    add('a.jsonl', 22, 24);
    expect(said).toHaveLength(21);
    bad.finish();
    expect(said.slice(21)).toEqual(['a.jsonl: and 3 more bad lines\n']);
    expect(bad.total).toBe(24);
  });

  it('bad lines: a single further line is reported in the singular', () => {
    add('a.jsonl', 2, 22);
    bad.finish();
    expect(said.at(-1)).toBe('a.jsonl: and 1 more bad line\n');
  });

  it('bad lines: an error of the whole file is always reported', () => {
    add('a.gz', 2, 26);
    bad.add('a.gz', 0, 'a.gz: the gzip file is truncated');
    expect(said.at(-1)).toBe('a.gz: the gzip file is truncated\n');
    bad.finish();
    expect(said.at(-1)).toBe('a.gz: and 5 more bad lines\n');
    expect(bad.total).toBe(26);
  });

  it('bad lines: a file that is bad from the first line gets a note on the expected format', () => {
    add('array.json', 1, 2);
    add('events.jsonl', 1, 1);
    add('events.jsonl', 3, 4);
    bad.finish();
    expect(said.slice(5)).toEqual([
      expect.stringMatching(/^array\.json: expected JSON: .*docs\/connect\.md/),
    ]);
  });
});
