import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testTitles } from './test-titles.ts';

const root = join(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const page = read('packages/detectors/test/seeds.md');

/** The rows of each document's table: behavior, where, test. */
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
const rows = groups.flatMap((group) =>
  group.rows.map(([behavior = '', where = '', proof = '']) => ({ behavior, where, proof })),
);

/** What is named in backticks and is a file of this repository. */
function filesIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)]
    .map(([, file = '']) => file)
    .filter((file) => /^(packages|golden|docs|bench|e2e)\//.test(file));
}

/** Files with what is named in them: `file`, “one title”, “another”. */
function namedIn(text: string): { file: string; titles: string[] }[] {
  return [...text.matchAll(/`([^`]+)`((?:, “[^”]+”)*)/g)]
    .map(([, file = '', titles = '']) => ({
      file,
      titles: [...titles.matchAll(/“([^”]+)”/g)].map(([, title = '']) => title),
    }))
    .filter(({ file }) => filesIn(`\`${file}\``).length > 0);
}

const isTest = (file: string): boolean => /\.(test|spec)\.tsx?$/.test(file);
const isGolden = (file: string): boolean => /^golden\/.+\.json$/.test(file);

/** The tests of a file, or the headings of a page. */
function titlesOf(file: string): ReadonlySet<string> {
  if (isTest(file)) return testTitles(read(file));
  return new Set([...read(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading));
}

/** Titles that stand behind no file, which no reader could look up. */
function titlesAlone(proof: string): string[] {
  const rest = proof.replace(/`[^`]+`(?:, “[^”]+”)+/g, '');
  return [...rest.matchAll(/“([^”]+)”/g)].map(([, title = '']) => title);
}

function titlesByFile(named: readonly { readonly proof: string }[]): Map<string, Set<string>> {
  const byFile = new Map<string, Set<string>>();
  for (const { file, titles } of named.flatMap(({ proof }) => namedIn(proof)))
    if (titles.length > 0) byFile.set(file, new Set([...(byFile.get(file) ?? []), ...titles]));
  return byFile;
}

function missingIn(file: string, titles: Iterable<string>): string[] {
  const there = titlesOf(file);
  return [...titles].filter((title) => !there.has(title));
}

describe('packages/detectors/test/seeds.md', () => {
  it('has the five documents with their rows', () => {
    expect(groups.map(({ title }) => title.slice(0, 12))).toEqual(
      [0, 1, 2, 3, 4].map((n) => `Document 00${n}`),
    );
    for (const group of groups) expect(group.rows.length).toBeGreaterThan(15);
  });

  it('has three non-empty cells per row, and no behavior twice in a document', () => {
    for (const group of groups) {
      expect(group.rows.filter((cells) => cells.length !== 3 || cells.includes(''))).toEqual([]);
      const behaviors = group.rows.map(([behavior]) => behavior);
      expect(new Set(behaviors).size).toBe(behaviors.length);
    }
  });

  it('names a file for each behavior', () => {
    expect(rows.filter(({ where }) => filesIn(where).length === 0)).toEqual([]);
  });

  it('proves each behavior by a test, a golden case or a section of a page, or says why not', () => {
    const unproven = rows.filter(
      ({ proof }) =>
        !proof.startsWith('Overridden: ') &&
        !namedIn(proof).some(({ file, titles }) => isGolden(file) || titles.length > 0),
    );
    expect(unproven).toEqual([]);
  });

  it('names files that exist', () => {
    expect([...new Set(filesIn(page))].filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  it('names no test file without a title', () => {
    const named = rows.flatMap(({ where, proof }) => namedIn(`${where} ${proof}`));
    expect(named.filter(({ file, titles }) => isTest(file) && titles.length === 0)).toEqual([]);
  });

  it('names no title without its file', () => {
    expect(rows.filter(({ proof }) => titlesAlone(proof).length > 0)).toEqual([]);
  });

  it.each([...titlesByFile(rows)].map(([file, titles]) => ({ file, titles })))(
    'names only titles that exist in $file',
    ({ file, titles }) => {
      expect(missingIn(file, titles)).toEqual([]);
    },
  );

  it('fails for titles and headings that do not exist', () => {
    const file = 'packages/detectors/test/seeds.test.ts';
    const proof = `\`${file}\`, “one”, “no such test”; \`packages/detectors/test/seeds.md\`, “No such heading”; and “alone”`;
    const named = titlesByFile([{ proof }]);
    expect([...named].map(([name, titles]) => missingIn(name, titles))).toEqual([
      ['one', 'no such test'],
      ['No such heading'],
    ]);
    expect(titlesAlone(proof)).toEqual(['alone']);
  });
});

describe('testTitles', () => {
  const source = `
    describe('a group', () => {
      it('one', () => {});
      test.each([['a', 1], [b, 2]])('%s is %d', () => {});
      test.each<Row>([{ name: 'x', of: ['y'] }] as const)('$name of $of', () => {});
      it.each(['u', 'v'])('only %j', () => {});
      it.each(rows)('computed %s', () => {});
      it.skip('left out', () => {});
      it.skip.each(['w'])('left out %s', () => {});
      other('nothing');
    });`;

  it('returns titles as the runner prints them, as far as they are literals', () => {
    expect([...testTitles(source)]).toEqual([
      'one',
      '%s is %d',
      'a is 1',
      '%s is 2',
      '$name of $of',
      'x of $of',
      'only %j',
      'only "u"',
      'only "v"',
      'computed %s',
    ]);
  });
});
