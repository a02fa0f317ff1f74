import { describe, expect, it } from 'vitest';
import { settingsSchema } from '../../src/index.ts';
import { settingPaths } from '../../src/internal.ts';
import { fromFile, resolve, type Sources, sound } from './resolving.ts';

describe('precedence', () => {
  const max = 'tool_call_loop.max_repeats';
  const file = { name: 'config.yaml', value: { tool_call_loop: { max_repeats: 3 } } };
  const own = { LOOPWATCH_TOOL_CALL_LOOP_MAX_REPEATS: '5' };
  const short = { TOOL_LOOP_MAX_REPEATS: '4' };

  it.each<[string, Sources, number | undefined, object]>([
    ['nothing', {}, undefined, { source: 'preset', name: 'balanced' }],
    ['the file', { file }, 3, { source: 'file', name: 'config.yaml' }],
    [
      'a short name overrides the file',
      { file, environment: short },
      4,
      { source: 'environment', name: 'TOOL_LOOP_MAX_REPEATS' },
    ],
    [
      'the full name overrides the short one',
      { file, environment: { ...own, ...short } },
      5,
      { source: 'environment', name: 'LOOPWATCH_TOOL_CALL_LOOP_MAX_REPEATS' },
    ],
    [
      'a flag overrides everything',
      { file, environment: own, flags: { [max]: 6 } },
      6,
      { source: 'flag', name: '--set' },
    ],
    [
      'a flag with its own name',
      { flags: { [max]: 6 }, flagNames: { [max]: '--max' } },
      6,
      { source: 'flag', name: '--max' },
    ],
    [
      'an empty variable counts as not set',
      { file, environment: { LOOPWATCH_TOOL_CALL_LOOP_MAX_REPEATS: ' ', TOOL_LOOP_MAX_REPEATS: '' } },
      3,
      { source: 'file', name: 'config.yaml' },
    ],
  ])('%s', (_, sources, value, origin) => {
    const { settings, origins } = sound(resolve(sources));
    expect(settings.tool_call_loop.max_repeats).toBe(value);
    expect(origins[max]).toEqual(origin);
  });

  it('keeps values that sources of higher precedence do not set', () => {
    const { settings } = sound(
      fromFile(
        { tool_call_loop: { mode: 'warn', similarity: { ignore_case: true } }, kafka: { group: 'g' } },
        {
          environment: { KAFKA_BROKERS: 'a:1,b:2' },
          flags: { tool_call_loop: { similarity: { threshold: 0.5 } } },
        },
      ),
    );
    expect(settings.tool_call_loop).toEqual({
      mode: 'warn',
      similarity: { ignore_case: true, threshold: 0.5 },
    });
    expect(settings.kafka).toMatchObject({ group: 'g', brokers: ['a:1', 'b:2'] });
  });

  it('per_tool: a whole map replaces the previous one, a single key only that key', () => {
    const perTool = { a: { max_repeats: 2 }, b: { mode: 'warn' } };
    const file = { tool_call_loop: { per_tool: perTool } };
    const path = 'tool_call_loop.per_tool';
    expect(sound(fromFile(file, { flags: { [`${path}.a.max_repeats`]: 9 } }))).toMatchObject({
      settings: { tool_call_loop: { per_tool: { a: { max_repeats: 9 }, b: { mode: 'warn' } } } },
      origins: { [`${path}.a.max_repeats`]: { source: 'flag' }, [`${path}.b.mode`]: { source: 'file' } },
    });
    const replaced = sound(
      fromFile(file, { environment: { LOOPWATCH_TOOL_CALL_LOOP_PER_TOOL: '{"c":{"enabled":false}}' } }),
    );
    expect(replaced.settings.tool_call_loop.per_tool).toEqual({ c: { enabled: false } });
    expect(Object.keys(replaced.origins).filter((key) => key.startsWith(path))).toEqual([
      `${path}.c.enabled`,
    ]);
  });

  it('gives every setting an origin', () => {
    const { origins } = sound(fromFile({ preset: 'coding', log: { level: 'warn' } }));
    const paths = settingPaths(settingsSchema).map(({ path }) => path);
    expect(Object.keys(origins).toSorted()).toEqual(paths.toSorted());
    expect(origins).toMatchObject({
      preset: { source: 'file', name: 'config.yaml' },
      'log.level': { source: 'file', name: 'config.yaml' },
      'log.format': { source: 'default' },
      'content_loop.window': { source: 'preset', name: 'coding' },
      'tool_call_loop.similarity_threshold': { source: 'preset', name: 'coding' },
      'tool_call_loop.per_tool': { source: 'default' },
    });
  });
});
