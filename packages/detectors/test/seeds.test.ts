import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const page = readFileSync(join(root, 'docs/seeds.md'), 'utf8');

/** The rows of each document's table: behaviour, where, test. */
const groups = page
  .split(/^## /m)
  .slice(1)
  .map((section) => {
    const [title = '', ...lines] = section.split('\n');
    const rows = lines.filter((line) => line.startsWith('| ')).slice(1);
    return {
      title,
      rows: rows.map((line) =>
        line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      ),
    };
  });
const rows = groups.flatMap((group) => group.rows);

/** What stands in backticks and has a slash and an ending, or is a folder of tests. */
function filesIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)]
    .map(([, file = '']) => file)
    .filter((file) => /^(packages|golden|docs|bench)\//.test(file));
}

describe('the page of origins', () => {
  it('has the five documents, each with its rows', () => {
    expect(groups.map(({ title }) => title.slice(0, 12))).toEqual(
      [0, 1, 2, 3, 4].map((n) => `Document 00${n}`),
    );
    for (const group of groups) expect(group.rows.length).toBeGreaterThan(15);
  });

  it('has three cells a row, none empty, and no behaviour twice in one document', () => {
    expect(rows.filter((cells) => cells.length !== 3 || cells.includes(''))).toEqual([]);
    for (const group of groups) {
      const behaviours = group.rows.map(([behaviour]) => behaviour);
      expect(new Set(behaviours).size).toBe(behaviours.length);
    }
  });

  it('says of each where it is: a file, or the gateway to come', () => {
    const nowhere = rows.filter(
      ([, where = '']) => filesIn(where).length === 0 && where !== 'gateway (to come)',
    );
    expect(nowhere).toEqual([]);
  });

  it('names files that exist', () => {
    expect([...new Set(filesIn(page))].filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  const named = rows.flatMap(([, , test = '']) =>
    [...test.matchAll(/`([^`]+)`, “([^”]+)”/g)].map(([, file = '', name = '']) => ({ file, name })),
  );
  it.each(named)('names a test of $file: $name', ({ file, name }) => {
    expect(statSync(join(root, file)).isFile()).toBe(true);
    expect(readFileSync(join(root, file), 'utf8')).toContain(name);
  });
});
