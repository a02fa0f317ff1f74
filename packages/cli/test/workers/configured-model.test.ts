import { settingsSchema } from '@loopwatch/contract';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { configuredModel } from '../../src/workers/configured-model.ts';

const off =
  'Semantic checks are off: no model is configured (set llm.model with llm.base_url or llm.api_key)';

/** What is said at the start, and whether there is a model. */
function start(settings: object): { readonly said: string[]; readonly hasModel: boolean } {
  const said: string[] = [];
  const logger = pino(
    { level: 'info' },
    { write: (line: string) => said.push((JSON.parse(line) as { msg: string }).msg) },
  );
  return { hasModel: configuredModel(settingsSchema.parse(settings), logger) !== undefined, said };
}

describe('the semantic layer without a model', () => {
  it.each<[string, object, boolean, string[]]>([
    ['is off and says so', { preset: 'stream' }, false, [off]],
    ['also where the name alone is given', { llm: { model: 'm' } }, false, [off]],
    [
      'also where it is on for one model alone',
      { preset: 'proxy', overrides: { models: { 'a/b': { semantic: { enabled: true } } } } },
      false,
      [off],
    ],
    ['is not missed where the preset has none', { preset: 'proxy' }, false, []],
    ['is not missed where it is switched off', { preset: 'stream', semantic: { enabled: false } }, false, []],
    ['has nothing to say where there is one', { llm: { model: 'm', api_key: 'k' } }, true, []],
  ])('%s', (_, settings, hasModel, said) => {
    expect(start(settings)).toEqual({ hasModel, said });
  });
});
