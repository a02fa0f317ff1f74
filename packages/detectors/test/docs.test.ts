import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type DetectionInput,
  detectionSchema,
  detectorFacts,
  detectorIds,
  presetNames,
  settingsSchema,
  toolContractSchema,
} from '@loopwatch/contract';
import { blockKeys, environmentName, settingPaths } from '@loopwatch/contract/internal';
import { blocksCheckedBy, type FencedBlock } from '@loopwatch/testkit/documented';
import { describe, expect, it } from 'vitest';
import { detectors, effectiveDetectionValues, presets } from '../src/internal.ts';
import { shown } from './evidence.ts';
import { type CannedAnswer, goldenEvents, parseGoldenCase, verdictsOf } from './golden-case.ts';

const root = join(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Lines of a block that are not empty. */
const linesOf = ({ text }: FencedBlock): string[] => text.split('\n').filter((line) => line !== '');

/** A preset's name, or settings as JSON. */
function configOf(info: string): DetectionInput {
  return (info.startsWith('{') ? JSON.parse(info) : { preset: info }) as DetectionInput;
}

/** Cells of the table rows below a heading, without the head. */
function tableUnder(page: string, heading: string): string[][] {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

const sections = ['Why', 'The rule', 'Found', 'Not found', 'Options', 'When not to use it'];
const detectorPages = detectorIds.map((id) => ({ id }));

describe('detector pages', () => {
  it('are one per detector, and one on how preset balanced was measured', () => {
    const files = readdirSync(join(root, 'docs/detectors')).map((file) => file.replace('.md', ''));
    expect(files.toSorted()).toEqual(['balanced', ...detectorPages.map(({ id }) => id)].toSorted());
  });

  it.each(detectorPages)('$id: has title, description and all sections in order', ({ id }) => {
    const page = read(`docs/detectors/${id}.md`);
    expect(page.startsWith(`# ${id}\n\n${detectorFacts[id].description}\n`)).toBe(true);
    expect([...page.matchAll(/^## (.*)$/gm)].map(([, title]) => title)).toEqual(sections);
  });

  it.each(detectorPages)('$id: lists the options of the schema', ({ id }) => {
    const listed = tableUnder(read(`docs/detectors/${id}.md`), 'Options').map(([name = '']) => name);
    const options = blockKeys(detectionSchema.shape[detectorFacts[id].block]);
    expect(listed.toSorted()).toEqual(options.map((name) => `\`${name}\``).toSorted());
  });

  it.each(detectorPages)('$id: has examples that are detected and others that are not', ({ id }) => {
    const blocks = blocksCheckedBy(import.meta.url, `docs/detectors/${id}.md`);
    const verdictsIn = (part: string): FencedBlock[] =>
      blocks.filter(({ language, section }) => language === 'verdicts' && section === part);
    expect(verdictsIn('Found').length).toBeGreaterThan(0);
    expect(verdictsIn('Found').every((block) => linesOf(block).length > 0)).toBe(true);
    expect(verdictsIn('Not found').length).toBeGreaterThan(0);
    expect(verdictsIn('Not found').every((block) => linesOf(block).length === 0)).toBe(true);
  });

  const examples = detectorPages.flatMap(({ id }) => {
    const blocks = blocksCheckedBy(import.meta.url, `docs/detectors/${id}.md`);
    const starts = blocks.flatMap(({ language }, i) => (language === 'events' ? [i] : []));
    return starts.map((start, i) => {
      const [events, ...rest] = blocks.slice(start, starts[i + 1]) as [FencedBlock, ...FencedBlock[]];
      const answers = rest.length > 1 ? rest.shift() : undefined;
      return { id, number: i + 1, events, answers, verdicts: rest[0] };
    });
  });

  it.each(examples)('$id: example $number gives the documented result', ({ events, answers, verdicts }) => {
    expect(verdicts?.language).toBe('verdicts');
    const config = configOf(events.info);
    const all = linesOf(events).map((line) => JSON.parse(line) as unknown);
    const given = goldenEvents({ name: '', config, events: all, expected: [] });
    const canned = answers && linesOf(answers).flatMap((line) => JSON.parse(line) as CannedAnswer[]);
    const found = verdictsOf(config, given, canned);
    const expected = linesOf(verdicts!).map((line) => JSON.parse(line) as Record<string, unknown>);
    const told = found.map((verdict, i) => {
      const whole: Record<string, unknown> = { ...verdict, at: shown(verdict, 'at') };
      return Object.fromEntries(Object.keys(expected[i] ?? { phase: 0 }).map((key) => [key, whole[key]]));
    });
    expect(told).toEqual(expected);
  });
});

it('golden/README.md: the printed case holds', () => {
  const [printed] = blocksCheckedBy(import.meta.url, 'golden/README.md');
  const golden = parseGoldenCase(printed!.text);
  expect(verdictsOf({ preset: golden.preset! }, goldenEvents(golden))).toMatchObject(golden.expected);
});

describe('the table of presets', () => {
  const rows = new Map(
    tableUnder(read('docs/configuration.md'), 'Presets').map((cells) => [cells[0], cells.slice(1)]),
  );

  it('contains every preset', () => {
    expect([...rows.keys()].toSorted()).toEqual(presetNames.map((name) => `\`${name}\``).toSorted());
  });

  it.each(presetNames)('%s: contains the values of the preset', (name) => {
    const { tool, content, thought, semantic } = presets[name];
    const text = (layer: typeof content): string =>
      layer === null
        ? 'off'
        : `${layer.window} / ${layer.min_repeats} / ${layer.max_distance}, ${layer.mode}`;
    expect(rows.get(`\`${name}\``)?.slice(0, 7)).toEqual([
      tool.similarity_threshold === undefined ? 'exact' : `similar ≥ ${tool.similarity_threshold}`,
      String(tool.max_repeats),
      tool.ttl_seconds === undefined ? 'any age' : `${tool.ttl_seconds} s`,
      `\`${tool.mode}\``,
      text(content),
      text(thought),
      semantic === null ? 'off' : `\`${semantic.mode}\``,
    ]);
  });
});

describe('documented step rules', () => {
  const page = read('docs/configuration.md');

  it('have the values of the preset', () => {
    const paths = tableUnder(page, 'Rules over steps').map(([path = '']) => path.replaceAll('`', ''));
    const inForce = effectiveDetectionValues(detectionSchema.parse({ preset: 'balanced' }));
    expect(paths.map((path) => inForce.get(path))).toEqual(
      tableUnder(page, 'Rules over steps').map(([, number]) => Number(number)),
    );
    const numbers = detectors
      .filter(({ needsResults }) => needsResults !== undefined)
      .flatMap(({ id }) =>
        [...inForce.keys()].filter((path) => path.startsWith(`${detectorFacts[id].block}.`)),
      )
      .filter((path) => typeof inForce.get(path) === 'number');
    expect(paths).toEqual(expect.arrayContaining(numbers));
    expect(presetNames.filter((name) => presets[name].results)).toEqual(['balanced']);
  });

  it('agree with the tool contracts', () => {
    const names = tableUnder(page, 'Tool properties').map(([name]) => name);
    expect(names).toEqual(blockKeys(toolContractSchema).map((name) => `\`${name}\``));
  });
});

describe('every page:', () => {
  const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md') && !/^(?:reference|generated)\b/.test(file))
    .map((file) => ({ file: `docs/${file}` }))
    .concat(
      ['README.md', 'CONTRIBUTING.md', 'samples/README.md', 'golden/README.md'].map((file) => ({ file })),
    );

  const known = [
    ...settingPaths(settingsSchema).map(({ path }) => environmentName(path)),
    'LOOPWATCH_CONFIG',
    'LOOPWATCH_API_TOKEN',
    'LOOPWATCH_VIEWER_TOKEN',
    'LOOPWATCH_INGEST_TOKEN',
    'LOOPWATCH_SHARED_DATA',
  ];
  it.each(pages)('$file names only environment variables that exist', ({ file }) => {
    const named = read(file).match(/\bLOOPWATCH_[A-Z0-9_]*[A-Z0-9]\b/g) ?? [];
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
  });
});
