import { describe, expect, it } from 'vitest';
import { settingsSchema } from '../../src/index.ts';
import { environmentName, settingPaths } from '../../src/internal.ts';
import { resolve, sound } from './resolving.ts';

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
    ['loopwatch_preset', '; did you mean LOOPWATCH_PRESET?'],
    ['TOOL_LOOP_MAXREPEATS', '; did you mean TOOL_LOOP_MAX_REPEATS?'],
    ['TOOL_LOOP_DETECTION_ENABLE', '; did you mean TOOL_LOOP_DETECTION_ENABLED?'],
    ['KAFKA_BROKER', '; did you mean KAFKA_BROKERS?'],
    ['KAFKA_BORKERS', '; did you mean KAFKA_BROKERS?'],
    ['kafka_brokers', '; did you mean KAFKA_BROKERS?'],
    ['KAFKA_BOOTSTRAP_SERVERS', '; did you mean KAFKA_BROKERS?'],
    ['DATABASE_URI', '; did you mean DATABASE_URL?'],
    ['DATABSE_URL', '; did you mean DATABASE_URL?'],
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
    'LOOPWATCH_URL',
    'PATH',
    'KAFKA_HOME',
    'KAFKA_BROKER_ID',
    'KAFKA_OPTS',
    'DATABASE_NAME',
  ])('do not warn about %s', (name) => {
    expect(sound(resolve({ environment: { [name]: 'x' } })).warnings).toEqual([]);
  });

  it('do not warn about a name of another program beside the right one, or about small letters on Windows', () => {
    const environment = {
      KAFKA_BROKERS: 'a:9092',
      KAFKA_BROKER: 'b',
      loopwatch_preset: 'x',
      LOOPWATCH_PRESET: 'proxy',
    };
    expect(sound(resolve({ environment })).warnings).toEqual([]);
  });

  it('leave out those that Kubernetes adds for services', () => {
    const environment = {
      LOOPWATCH_SERVER_PORT: 'tcp://10.0.0.1:4600',
      LOOPWATCH_SERVER_SERVICE_HOST: '10.0.0.1',
      LOOPWATCH_SERVER_SERVICE_PORT: '4600',
      LOOPWATCH_SERVER_SERVICE_PORT_HTTP: '4600',
      LOOPWATCH_SERVER_PORT_4600_TCP: 'tcp://10.0.0.1:4600',
      LOOPWATCH_SERVER_PORT_4600_TCP_ADDR: '10.0.0.1',
    };
    const { settings, warnings } = sound(resolve({ environment }));
    expect([settings.server.port, warnings]).toEqual([4600, []]);
  });
});
