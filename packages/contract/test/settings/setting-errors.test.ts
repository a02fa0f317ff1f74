import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { presetNames, settingsSchema } from '../../src/index.ts';
import { findSetting, valueFromText } from '../../src/internal.ts';
import { faults, fromFile, resolve, type Sources, sound } from './resolving.ts';

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
      'an address of another database',
      { environment: { DATABASE_URL: 'mysql://db/loops' } },
      'DATABASE_URL: storage.database_url is ******; allowed: a URL that begins with postgres:// or postgresql://',
    ],
    [
      'text instead of a URL',
      { flags: { 'gateway.upstream': 'not-a-url' } },
      '--set: gateway.upstream is "not-a-url"; allowed: a URL that begins with http:// or https://',
    ],
    [
      'a query behind a base URL',
      { flags: { 'gateway.upstream': 'https://x.openai.azure.com/openai?api-version=2026-01-01' } },
      '--set: gateway.upstream is "https://x.openai.azure.com/openai?api-version=2026-01-01"; allowed: a URL that begins with http:// or https://; gateway.upstream must have no user name, query or fragment: requests would go without them',
    ],
    [
      'an address with a password',
      { flags: { 'gateway.upstream': 'https://bob:very-secret@models.test/v1' } },
      '--set: gateway.upstream is "https://******@models.test/v1"; allowed: a URL that begins with http:// or https://; gateway.upstream must have no user name, query or fragment: requests would go without them',
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
      'a missing key of a block in a record',
      { file: { name: 'config.yaml', value: { prices: { 'gpt-5.1': { input: 1 } } } } },
      'config.yaml: prices.gpt-5.1.output: is required',
    ],
    [
      'a block that several sources have set',
      {
        file: { name: 'config.yaml', value: { llm: { model: 'm' }, kafka: { sasl: { username: 'u' } } } },
        environment: {
          LOOPWATCH_KAFKA_SECURITY_PROTOCOL: 'SASL_SSL',
          LOOPWATCH_KAFKA_SASL_MECHANISM: 'PLAIN',
        },
      },
      'kafka.sasl.password: or sasl.password_file is required with security_protocol SASL_SSL',
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
    ...['', ' ', ','].map((text): [string, Sources, string] => [
      `a flag with an empty list of brokers, ${JSON.stringify(text)}`,
      {
        flags: { 'kafka.brokers': valueFromText(text, findSetting(settingsSchema, 'kafka.brokers')!.schema) },
      },
      '--set: kafka.brokers is empty; write host:port, such as localhost:9092, or leave --set out to run without Kafka',
    ]),
    [
      'a variable with an empty list of brokers',
      { environment: { KAFKA_BROKERS: ',' } },
      'KAFKA_BROKERS: kafka.brokers is empty; write host:port, such as localhost:9092, or leave KAFKA_BROKERS out to run without Kafka',
    ],
    [
      'a blank secret in a variable',
      { environment: { LOOPWATCH_LLM_API_KEY: '  ', LOOPWATCH_LLM_MODEL: ' ' } },
      'LOOPWATCH_LLM_API_KEY: llm.api_key is blank; set it to the secret, or unset it',
    ],
  ])('reports %s', (_, sources, message) => expect(faults(resolve(sources))).toEqual([message]));

  it.each([
    'localhost:99999',
    'localhost:0',
    'localhost',
    'localhost:',
    ':9092',
    'a b:9092',
    'a b',
    '::1:9092',
    '[::1]',
    'kafka://a:9092',
    'a:9092:1',
    'a:1e3',
  ])('reports the broker %j', (broker) => {
    expect(faults(fromFile({ kafka: { brokers: ['k:9092', broker] } }))).toEqual([
      `config.yaml: kafka.brokers is ["k:9092",${JSON.stringify(broker)}]; allowed: a list, each entry text that is not empty; kafka.brokers.1 must be host:port, such as kafka-1:9092, with a port from 1 to 65535; an IPv6 address is in brackets, such as [::1]:9092`,
    ]);
  });

  it('accepts brokers by name and address', () => {
    const brokers = [
      'kafka-1:9092',
      'b_1.acme.example:65535',
      '10.0.0.1:1',
      '[::1]:9092',
      '[fe80::1%eth0]:9092',
    ];
    expect(sound(fromFile({ kafka: { brokers } })).settings.kafka.brokers).toEqual(brokers);
    expect(sound(fromFile({ kafka: { brokers: [] } })).settings.kafka.brokers).toEqual([]);
  });

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
