import { describe, expect, it } from 'vitest';
import { settingsSchema } from '../../src/index.ts';
import { findSetting, settingPaths, settingText, settingTexts } from '../../src/internal.ts';

const paths = settingPaths(settingsSchema).map(({ path }) => path);

/** The path of every text, including blocks, with a sample name for record keys. */
function describedPaths(texts: unknown, path: readonly string[] = []): string[] {
  if (typeof texts === 'string') return [path.join('.')];
  return Object.entries(texts as Readonly<Record<string, unknown>>).flatMap(([key, part]) => {
    const own = key === 'about' ? [] : [key === 'each' ? 'openai/o4' : key];
    return describedPaths(part, [...path, ...own]);
  });
}

describe('settingText', () => {
  it.each(paths)('describes %s', (path) => expect(settingText(path)).not.toBe(''));

  it.each([
    ['a block', 'outage', 'outage: a service that the tools depend on is down.'],
    ['a record', 'per_tool', 'Properties of tools, by tool name.'],
    [
      'a key of a tool',
      'per_tool.grep.poller',
      'Whether the tool is meant to be polled. Default: inferred from its name, command and results.',
    ],
    ['a tool named like a property of objects', 'per_tool.constructor', ''],
    [
      'a key of a model',
      'overrides.models.openai/o4.preset',
      'Supplies every detection setting that is not set explicitly.',
    ],
    ['a misspelled key', 'outage.min_failure', ''],
    ['a key below a value', 'preset.balanced', ''],
    ['an empty path', '', ''],
  ])('%s', (_, path, text) => expect(settingText(path)).toBe(text));

  it('describes only existing settings', () => {
    const described = describedPaths(settingTexts);
    expect(described).toContain('overrides.models.openai/o4.per_tool.openai/o4.poller');
    expect(described.filter((path) => findSetting(settingsSchema, path) === undefined)).toEqual([]);
  });
});
