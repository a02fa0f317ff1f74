import { settingsSchema } from '@loopwatch/contract';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { configuredModel } from '../../src/workers/configured-model.ts';

const off =
  'Semantic checks are off: no model is configured (set llm.model with llm.base_url or llm.api_key)';

/** What is logged at the start, and whether a model is configured. */
function start(settings: object): { readonly logged: string[]; readonly hasModel: boolean } {
  const logged: string[] = [];
  const logger = pino(
    { level: 'info' },
    { write: (line: string) => logged.push((JSON.parse(line) as { msg: string }).msg) },
  );
  return { hasModel: configuredModel(settingsSchema.parse(settings), logger) !== undefined, logged };
}

describe('configuredModel', () => {
  it.each<[string, object, boolean, string[]]>([
    ['is off without a model, which is logged', { preset: 'stream' }, false, [off]],
    ['is off with only the name of a model', { llm: { model: 'm' } }, false, [off]],
    [
      'is off, which is logged, when only one model enables it',
      { preset: 'proxy', overrides: { models: { 'a/b': { semantic: { enabled: true } } } } },
      false,
      [off],
    ],
    ['is not mentioned when the preset has none', { preset: 'proxy' }, false, []],
    ['is not mentioned when it is disabled', { preset: 'stream', semantic: { enabled: false } }, false, []],
    ['logs nothing with a model', { llm: { model: 'm', api_key: 'k' } }, true, []],
  ])('semantic layer: %s', (_, settings, hasModel, logged) => {
    expect(start(settings)).toEqual({ hasModel, logged });
  });
});
