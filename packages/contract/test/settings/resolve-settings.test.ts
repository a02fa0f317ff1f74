import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { presetNames, settingsSchema } from '../../src/index.ts';
import { environmentName, resolveSettings, settingPaths } from '../../src/internal.ts';

type Sources = Partial<Parameters<typeof resolveSettings>[0]>;

const resolve = (sources: Sources) => resolveSettings({ environment: {}, flags: {}, ...sources });
const fromFile = (value: unknown, more: Sources = {}) =>
  resolve({ file: { name: 'config.yaml', value }, ...more });

function sound(resolved: ReturnType<typeof resolveSettings>) {
  if (!resolved.ok) throw new Error(resolved.errors.join('\n'));
  return resolved;
}

function faults(resolved: ReturnType<typeof resolveSettings>): readonly string[] {
  expect(resolved.ok).toBe(false);
  return resolved.ok ? [] : resolved.errors;
}

describe("the tool_call_loop block as the proxy's documentation writes it", () => {
  it.each<[string, string, object]>([
    [
      'the general one',
      `
# config.yaml
tool_call_loop:
  enabled: true
  max_repeats: 3
  ttl_seconds: 300
  mode: "block"  # Options: block, warn, chance_then_block
  similarity_threshold: 0.9  # 0.0-1.0, higher means more similar
`,
      { enabled: true, max_repeats: 3, ttl_seconds: 300, mode: 'block', similarity_threshold: 0.9 },
    ],
    ['block', '# config.yaml\ntool_call_loop:\n  mode: "block"\n', { mode: 'block' }],
    ['warn', '# config.yaml\ntool_call_loop:\n  mode: "warn"\n', { mode: 'warn' }],
    [
      'chance_then_block',
      '# config.yaml\ntool_call_loop:\n  mode: "Chance_Then_Block"\n',
      { mode: 'chance_then_block' },
    ],
    [
      'custom messages',
      `
# config.yaml
tool_call_loop:
  error_messages:
    block: "Tool call blocked due to repetitive pattern. Please try a different approach."
    warning: "Warning: This tool call pattern has been repeated multiple times."
`,
      {
        error_messages: {
          block: 'Tool call blocked due to repetitive pattern. Please try a different approach.',
          warning: 'Warning: This tool call pattern has been repeated multiple times.',
        },
      },
    ],
    [
      'per tool',
      `
# config.yaml
tool_call_loop:
  per_tool:
    search_web:
      max_repeats: 2
    get_weather:
      max_repeats: 5
`,
      { per_tool: { search_web: { max_repeats: 2 }, get_weather: { max_repeats: 5 } } },
    ],
    [
      'similarity',
      `
# config.yaml
tool_call_loop:
  similarity:
    algorithm: "levenshtein"  # Options: levenshtein, jaccard
    threshold: 0.9
    normalize_whitespace: true
    ignore_case: true
`,
      {
        similarity: {
          algorithm: 'levenshtein',
          threshold: 0.9,
          normalize_whitespace: true,
          ignore_case: true,
        },
      },
    ],
    [
      'strict',
      `
# config.yaml
tool_call_loop:
  enabled: true
  max_repeats: 2
  ttl_seconds: 180
  mode: "block"
  similarity_threshold: 0.8
`,
      { enabled: true, max_repeats: 2, ttl_seconds: 180, mode: 'block', similarity_threshold: 0.8 },
    ],
    [
      'lenient',
      `
# config.yaml
tool_call_loop:
  enabled: true
  max_repeats: 4
  ttl_seconds: 600
  mode: "chance_then_block"
  similarity_threshold: 0.95
`,
      {
        enabled: true,
        max_repeats: 4,
        ttl_seconds: 600,
        mode: 'chance_then_block',
        similarity_threshold: 0.95,
      },
    ],
    [
      'development',
      `
# config.yaml
tool_call_loop:
  enabled: true
  max_repeats: 5
  ttl_seconds: 300
  mode: "warn"
  similarity_threshold: 0.9
`,
      { enabled: true, max_repeats: 5, ttl_seconds: 300, mode: 'warn', similarity_threshold: 0.9 },
    ],
  ])('%s', (_, text, block) => {
    expect(sound(fromFile(parse(text))).settings.tool_call_loop).toEqual(block);
  });
});

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

describe('environment variables', () => {
  it.each<[string, string, string, unknown]>([
    ['KAFKA_BROKERS', 'a:9092, b:9092,', 'kafka.brokers', ['a:9092', 'b:9092']],
    ['KAFKA_BROKERS', 'a:9092', 'kafka.brokers', ['a:9092']],
    ['TOOL_LOOP_DETECTION_ENABLED', 'FALSE', 'tool_call_loop.enabled', false],
    ['TOOL_LOOP_DETECTION_ENABLED', '1', 'tool_call_loop.enabled', true],
    ['TOOL_LOOP_MAX_REPEATS', '4', 'tool_call_loop.max_repeats', 4],
    ['TOOL_LOOP_TTL_SECONDS', '120', 'tool_call_loop.ttl_seconds', 120],
    ['LOOPWATCH_TOOL_CALL_LOOP_TTL_SECONDS', 'null', 'tool_call_loop.ttl_seconds', null],
    ['TOOL_LOOP_MODE', 'break', 'tool_call_loop.mode', 'block'],
    ['TOOL_LOOP_MODE', 'chance_then_break', 'tool_call_loop.mode', 'chance_then_block'],
    ['TOOL_LOOP_MODE', 'CHANCE', 'tool_call_loop.mode', 'chance_then_block'],
    ['TOOL_LOOP_MODE', ' Break', 'tool_call_loop.mode', 'block'],
    ['LOOPWATCH_PRESET', 'Proxy', 'preset', 'proxy'],
    ['LOOPWATCH_PRESET', 'proxy', 'preset', 'proxy'],
    ['LOOPWATCH_ENABLED', 'off', 'enabled', false],
    ['LOOPWATCH_PRIVACY_STORE_TEXT', 'No', 'privacy.store_text', false],
    ['LOOPWATCH_KAFKA_TOPICS_DEAD_LETTERS', 'dlq', 'kafka.topics.dead-letters', 'dlq'],
    ['LOOPWATCH_KAFKA_CLIENT_ID', '007', 'kafka.client_id', '007'],
    ['LOOPWATCH_TOOL_CALL_LOOP_SIMILARITY_THRESHOLD', '0.7', 'tool_call_loop.similarity.threshold', 0.7],
    ['LOOPWATCH_PRIVACY_MASK', '["a{1,2}"]', 'privacy.mask', ['a{1,2}']],
  ])('%s=%s sets %s', (name, text, path, value) => {
    const { settings, origins, warnings } = sound(resolve({ environment: { [name]: text } }));
    expect(path.split('.').reduce<unknown>((block, key) => (block as never)[key], settings)).toEqual(value);
    expect(origins[path]).toEqual({ source: 'environment', name });
    expect(warnings).toEqual([]);
  });

  it('exist for every setting', () => {
    const names = settingPaths(settingsSchema).map(({ path }) => environmentName(path));
    const { warnings } = sound(resolve({ environment: Object.fromEntries(names.map((name) => [name, ''])) }));
    expect(warnings).toEqual([]);
  });

  it.each([
    ['LOOPWATCH_TOOL_CALL_LOOP_MAX_REPEAT', '; did you mean LOOPWATCH_TOOL_CALL_LOOP_MAX_REPEATS?'],
    ['LOOPWATCH_BROKERS', '; did you mean LOOPWATCH_KAFKA_BROKERS?'],
    ['LOOPWATCH_DATA_DIR', '; did you mean LOOPWATCH_STORAGE_DATA_DIR?'],
    ['LOOPWATCH_API_TOKENS', '; did you mean LOOPWATCH_API_TOKEN?'],
    ['LOOPWATCH_QUITE_SOMETHING_ELSE', ''],
  ])('warn about %s%s', (name, hint) => {
    expect(sound(resolve({ environment: { [name]: '1' } })).warnings).toEqual([
      `unknown environment variable ${name}${hint}`,
    ]);
  });

  it.each([
    'LOOPWATCH_CONFIG',
    'LOOPWATCH_API_TOKEN',
    'LOOPWATCH_VIEWER_TOKEN',
    'LOOPWATCH_LLM_API_KEY',
    'LOOPWATCH_LLM_MODEL',
    'LOOPWATCH_SHARED_DATA',
    'PATH',
  ])('do not warn about %s', (name) => {
    expect(sound(resolve({ environment: { [name]: 'x' } })).warnings).toEqual([]);
  });
});

describe('resolveSettings: errors', () => {
  it.each<[string, Sources, string]>([
    [
      'a misspelled key',
      { file: { name: 'config.yaml', value: { tool_call_loop: { max_repeat: 3 } } } },
      'config.yaml: unknown key tool_call_loop.max_repeat; did you mean max_repeats?',
    ],
    [
      'a misspelled block',
      { file: { name: 'config.yaml', value: { tool_call_lop: { max_repeats: 3 } } } },
      'config.yaml: unknown key tool_call_lop; did you mean tool_call_loop?',
    ],
    [
      'a key in the wrong block',
      { file: { name: 'config.yaml', value: { max_repeats: 3 } } },
      'config.yaml: unknown key max_repeats; did you mean tool_call_loop.max_repeats?',
    ],
    [
      'a key unlike any other',
      { file: { name: 'config.yaml', value: { telemetry: true } } },
      'config.yaml: unknown key telemetry',
    ],
    [
      'a misspelled key of a tool',
      {
        file: { name: 'config.yaml', value: { tool_call_loop: { per_tool: { 'a.b': { modes: 'warn' } } } } },
      },
      'config.yaml: unknown key tool_call_loop.per_tool.a.b.modes; did you mean mode?',
    ],
    [
      '__proto__',
      { file: { name: 'config.yaml', value: JSON.parse('{"__proto__":{"enabled":false}}') } },
      'config.yaml: unknown key __proto__',
    ],
    [
      'a misspelled flag',
      { flags: { 'tool_cal_loop.mode': 'warn' } },
      '--set: unknown key tool_cal_loop.mode; did you mean tool_call_loop.mode?',
    ],
    [
      'a misspelled key of a flag',
      { flags: { 'tool_call_loop.per_tool.x.max_repeat': 2 } },
      '--set: unknown key tool_call_loop.per_tool.x.max_repeat; did you mean max_repeats?',
    ],
    [
      'text instead of a number',
      { file: { name: 'config.yaml', value: { tool_call_loop: { max_repeats: 'three' } } } },
      'config.yaml: tool_call_loop.max_repeats is "three"; allowed: a whole number from 2 to 1000000',
    ],
    [
      'a similarity above 1',
      { file: { name: 'config.yaml', value: { tool_call_loop: { similarity_threshold: 1.1 } } } },
      'config.yaml: tool_call_loop.similarity_threshold is 1.1; allowed: a number from 0 to 1',
    ],
    [
      'a number out of range',
      { environment: { LOOPWATCH_SERVER_PORT: '70000' } },
      'LOOPWATCH_SERVER_PORT: server.port is 70000; allowed: a whole number from 0 to 65535',
    ],
    [
      'text instead of a boolean',
      { environment: { TOOL_LOOP_DETECTION_ENABLED: 'maybe' } },
      'TOOL_LOOP_DETECTION_ENABLED: tool_call_loop.enabled is "maybe"; allowed: true or false',
    ],
    [
      'an unknown preset',
      { flags: { preset: 'streams' } },
      `--set: preset is "streams"; allowed: one of ${presetNames.join(', ')}`,
    ],
    [
      'null instead of a value',
      { file: { name: 'config.yaml', value: { preset: null } } },
      `config.yaml: preset is null; allowed: one of ${presetNames.join(', ')}`,
    ],
    [
      'a number that is not finite',
      { file: { name: 'config.yaml', value: parse('tool_call_loop: { max_repeats: .inf }') } },
      'config.yaml: tool_call_loop.max_repeats is Infinity; allowed: a whole number from 2 to 1000000',
    ],
    [
      'text instead of a URL',
      { flags: { 'gateway.upstream': 'not-a-url' } },
      '--set: gateway.upstream is "not-a-url"; allowed: a URL whose scheme matches ^https?$',
    ],
    [
      'a value instead of a block',
      { file: { name: 'config.yaml', value: { storage: '/var' } } },
      'config.yaml: storage is "/var"; allowed: a block with the keys data_dir, database_url, retention_days, retention_megabytes, log_retention_megabytes, log_max_megabytes',
    ],
    [
      'a list instead of the file',
      { file: { name: 'config.yaml', value: [1] } },
      `config.yaml: the configuration is [1]; allowed: a block with the keys ${Object.keys(settingsSchema.shape).join(', ')}`,
    ],
    [
      'an invalid regular expression',
      { file: { name: 'config.yaml', value: { privacy: { mask: ['a', '('] } } } },
      'config.yaml: privacy.mask is ["a","("]; allowed: a list, each entry text; privacy.mask.1 "(" is not a valid regular expression: Unterminated group',
    ],
    [
      'a variable that is not JSON',
      { environment: { LOOPWATCH_TOOL_CALL_LOOP_PER_TOOL: 'search' } },
      'LOOPWATCH_TOOL_CALL_LOOP_PER_TOOL: tool_call_loop.per_tool is "search"; allowed: a map of names to a block with the keys enabled, max_repeats, ttl_seconds, mode, similarity_threshold, similarity',
    ],
  ])('reports %s', (_, sources, message) => expect(faults(resolve(sources))).toEqual([message]));

  it('reports all errors at once, including those of overridden values', () => {
    const wrong = faults(
      fromFile(
        { tool_call_loop: { max_repeats: 1, mod: 'warn' }, log: { level: 'loud' } },
        { environment: { LOOPWATCH_LOG_LEVEL: 'quiet' }, flags: { 'log.level': 'info', nothing: 1 } },
      ),
    );
    expect(wrong.map((fault) => fault.split(';')[0])).toEqual([
      'config.yaml: tool_call_loop.max_repeats is 1',
      'config.yaml: unknown key tool_call_loop.mod',
      'config.yaml: log.level is "loud"',
      'LOOPWATCH_LOG_LEVEL: log.level is "quiet"',
      '--set: unknown key nothing',
    ]);
  });

  it('quotes a circular value, and shortens a long one', () => {
    const endless: Record<string, unknown> = {};
    endless['endless'] = endless;
    expect(faults(fromFile({ preset: endless }))).toEqual([
      expect.stringContaining('preset is [object Object]'),
    ]);
    expect(faults(fromFile({ preset: 'x'.repeat(10_000) }))[0]!.length).toBeLessThan(300);
  });

  it.each([null, undefined, {}, { tool_call_loop: null, kafka: { topics: null } }])(
    'accepts an empty file: %j',
    (value) => expect(sound(fromFile(value)).settings).toEqual(sound(resolve({})).settings),
  );

  it('does not modify its input', () => {
    const value = { tool_call_loop: { similarity: {} } };
    sound(fromFile(value, { flags: { 'tool_call_loop.similarity.threshold': 0.5 } }));
    expect(value).toEqual({ tool_call_loop: { similarity: {} } });
  });

  it('keeps an empty similarity block, which selects similar matching', () => {
    expect(sound(fromFile({ tool_call_loop: { similarity: {} } })).settings.tool_call_loop).toEqual({
      similarity: {},
    });
  });
});

describe('result_noise template', () => {
  const faultsOf = (template: string) => {
    const agents = { mine: { result_noise: [template] } };
    const resolved = resolveSettings({ file: { name: 'f', value: { agents } }, environment: {}, flags: {} });
    return resolved.ok ? '' : resolved.errors.join('; ');
  };

  it.each(['Took {number} of {number} s', 'Built: {word}, {number}', 'at least {text}'])(
    'accepts %s',
    (template) => {
      expect(faultsOf(template)).toBe('');
    },
  );

  it.each([
    ['Took {number}{number}{number}!', 'more than digits and dots between two placeholders'],
    ['Took {number}1.{number}!', 'more than digits and dots between two placeholders'],
    ['    {number}!', 'text that matches ^[^\\s{]'],
    ['abc{number}', 'text that matches ^[^\\s{]'],
  ])('rejects %s, which could take disproportionate time to match', (template, why) => {
    expect(faultsOf(template)).toContain(why);
  });
});
