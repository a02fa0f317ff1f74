import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { presets } from '@loopwatch/detectors/internal';
import { Command, CommanderError } from 'commander';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { configCommand } from '../../src/commands/config.ts';
import { effectiveValues } from '../../src/config/effective-values.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { addConfigOptions, type ConfigOptions } from '../../src/config/options.ts';
import { UsageError } from '../../src/errors.ts';

const folder = mkdtempSync(join(tmpdir(), 'loopwatch-config-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.unstubAllEnvs());

let count = 0;
function fileWith(text: string): string {
  const name = join(folder, `${(count += 1)}.yaml`);
  writeFileSync(name, text);
  return name;
}

function faultsOf(options: ConfigOptions, environment: Record<string, string> = {}): string[] {
  try {
    loadConfig(options, [], environment);
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    expect((error as UsageError).exitCode).toBe(2);
    return (error as UsageError).message.split('\n');
  }
  return [];
}

describe('loadConfig', () => {
  it('loadConfig: flags override the environment, which overrides the file', () => {
    const config = fileWith('preset: proxy\nkafka:\n  group: a\n  client_id: a\n');
    const { settings, origins } = loadConfig(
      { config, set: ['kafka.client_id=c', 'server.port=1'] },
      [
        { flag: '--port', path: 'server.port', text: '8080' },
        { flag: '--brokers', path: 'kafka.brokers', text: undefined },
      ],
      { LOOPWATCH_KAFKA_GROUP: 'b', LOOPWATCH_KAFKA_CLIENT_ID: 'b' },
    );
    expect(settings).toMatchObject({
      preset: 'proxy',
      kafka: { group: 'b', client_id: 'c', brokers: [] },
      server: { port: 8080 },
    });
    expect(origins).toMatchObject({
      preset: { source: 'file', name: config },
      'kafka.group': { source: 'environment', name: 'LOOPWATCH_KAFKA_GROUP' },
      'kafka.client_id': { source: 'flag', name: '--set' },
      'server.port': { source: 'flag', name: '--port' },
      'kafka.brokers': { source: 'default' },
    });
  });

  it('loadConfig: settings of single models have a path and an origin', () => {
    const config = fileWith(
      'overrides:\n  models:\n    openai/gpt-5.1:\n      tool_loop_detection_max_repeats: 3\n',
    );
    const path = 'overrides.models.openai/gpt-5.1.tool_loop_detection_max_repeats';
    expect(effectiveValues(loadConfig({ config }, [], {}))).toContainEqual({
      path,
      value: 3,
      source: 'file',
      name: config,
    });
  });

  it('loadConfig: LOOPWATCH_CONFIG names the file, and --config overrides it', () => {
    const environment = { LOOPWATCH_CONFIG: fileWith('preset: api') };
    expect(loadConfig({}, [], environment).settings.preset).toBe('api');
    const config = fileWith('preset: files');
    expect(loadConfig({ config }, [], environment).settings.preset).toBe('files');
  });

  it.each([
    ['empty', ''],
    ['comments only', '# nothing\n'],
    ['an empty block', 'tool_call_loop:\n  # max_repeats: 3\n'],
    ['JSON', '{"preset": "balanced"}'],
  ])('loadConfig: reads a file that is %s', (_, text) => {
    expect(loadConfig({ config: fileWith(text) }, [], {}).settings).toEqual(loadConfig({}, [], {}).settings);
  });

  it('loadConfig: reads UTF-16, as PowerShell 5 writes it', () => {
    const config = fileWith('');
    writeFileSync(config, '\ufeffpreset: stream\r\n', 'utf16le');
    expect(loadConfig({ config }, [], {}).settings.preset).toBe('stream');
  });

  it.each([
    ['an unclosed list', 'preset: stream\nkafka:\n  brokers: [a\nlog: {}\n', /:\d+:\d+: /],
    ['a key twice', 'preset: a\npreset: b\n', /:2:1: Map keys must be unique/],
    ['a tab', 'kafka:\n\tgroup: a\n', /:2:1: /],
    ['an unknown anchor', 'preset: *a\n', /:1:9: /],
    ['two documents', 'preset: a\n---\npreset: b\n', /:2:1: a second document begins here/],
  ])('loadConfig: reports file, line and column of %s', (_, text, place) => {
    const config = fileWith(text);
    const [fault = ''] = faultsOf({ config });
    expect(fault.startsWith(config)).toBe(true);
    expect(fault.slice(config.length)).toMatch(place);
  });

  it('loadConfig: rejects anchors that expand without limit', () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n`;
    expect(faultsOf({ config: fileWith(bomb) })[0]).toMatch(/alias/i);
  });

  it.each([
    ['a missing file', join(folder, 'none.yaml'), 'no such file'],
    ['a folder', folder, 'it is a folder'],
  ])('loadConfig: reports why it cannot read %s', (_, config, reason) => {
    expect(faultsOf({ config })).toEqual([`${config}: ${reason}`]);
  });

  it('loadConfig: reports errors of file, environment and flags together', () => {
    const faults = faultsOf(
      { config: fileWith('presett: proxy'), set: ['novalue', '=1', 'log.level=loud', 'a.b=1'] },
      { LOOPWATCH_SERVER_PORT: 'x' },
    );
    expect(faults).toEqual([
      '--set: expected path=value, got "novalue"',
      '--set: expected path=value, got "=1"',
      expect.stringMatching(/unknown key presett; did you mean preset\?$/),
      expect.stringMatching(/^LOOPWATCH_SERVER_PORT: server\.port is "x"/),
      expect.stringMatching(/^--set: log\.level is "loud"; allowed: one of/),
      '--set: unknown key a.b',
    ]);
  });

  it.each([
    ['tool_call_loop.max_repeats=7', { tool_call_loop: { max_repeats: 7 } }],
    ['tool_call_loop.enabled=off', { tool_call_loop: { enabled: false } }],
    ['kafka.brokers=a:1,b:2', { kafka: { brokers: ['a:1', 'b:2'] } }],
    ['kafka.client_id=a=b', { kafka: { client_id: 'a=b' } }],
    [
      'tool_call_loop.per_tool.fs.read.mode=warn',
      { tool_call_loop: { per_tool: { 'fs.read': { mode: 'warn' } } } },
    ],
    [
      'content_loop={"window":40,"mode":"chance"}',
      { content_loop: { window: 40, mode: 'chance_then_block' } },
    ],
    ['kafka.topics.prefix=', { kafka: { topics: { prefix: '' } } }],
  ])('loadConfig: accepts --set %s', (assignment, settings) => {
    expect(loadConfig({ set: [assignment] }, [], {}).settings).toMatchObject(settings);
  });
});

describe('effectiveValues', () => {
  const valuesOf = (...set: string[]) => {
    const values = effectiveValues(loadConfig({ set }, [], {}));
    return new Map(values.map(({ path, value, source, name }) => [path, [value, source, name]]));
  };

  it.each(Object.entries(presets))(
    'effectiveValues: shows the values of preset %s',
    (name, { tool, content, thought }) => {
      const values = valuesOf(`preset=${name}`);
      expect(values.get('tool_call_loop.max_repeats')).toEqual([tool.max_repeats, 'preset', name]);
      expect(values.get('tool_call_loop.ttl_seconds')).toEqual([tool.ttl_seconds ?? null, 'preset', name]);
      expect(values.get('tool_call_loop.mode')).toEqual([tool.mode, 'preset', name]);
      expect(values.get('tool_call_loop.similarity_threshold')).toEqual([
        tool.similarity_threshold ?? null,
        'preset',
        name,
      ]);
      expect(values.get('content_loop.enabled')).toEqual([content !== null, 'preset', name]);
      expect(values.get('content_loop.window')).toEqual([content?.window ?? null, 'preset', name]);
      expect(values.get('thought_loop.min_repeats')).toEqual([thought?.min_repeats ?? null, 'preset', name]);
    },
  );

  it('effectiveValues: shows values that override the preset', () => {
    const values = valuesOf(
      'preset=proxy',
      'tool_call_loop.ttl_seconds=null',
      'tool_call_loop.similarity_threshold=0.8',
    );
    expect(values.get('tool_call_loop.ttl_seconds')).toEqual([null, 'flag', '--set']);
    expect(values.get('tool_call_loop.similarity.threshold')).toEqual([0.8, 'flag', '--set']);
    expect(values.get('tool_call_loop.similarity.algorithm')).toEqual(['levenshtein', 'default', undefined]);
  });

  it('effectiveValues: shows the origin of the values of a layer that the preset omits', () => {
    const values = valuesOf('preset=proxy', 'content_loop.window=40');
    expect(values.get('content_loop.enabled')).toEqual([true, 'preset', 'stream']);
    expect(values.get('content_loop.window')).toEqual([40, 'flag', '--set']);
    expect(values.get('content_loop.min_repeats')).toEqual([10, 'preset', 'stream']);
  });

  it('effectiveValues: shows each setting once', () => {
    const paths = effectiveValues(loadConfig({ set: ['agents.bot.names=b'] }, [], {})).map(
      ({ path }) => path,
    );
    expect(paths.filter((path, at) => paths.indexOf(path) !== at)).toEqual([]);
    expect(paths).toContain('agents.max_depth');
  });

  it('effectiveValues: shows the effective topic names', () => {
    const values = valuesOf('kafka.topics.prefix=prod.', 'kafka.topics.events=agents');
    expect(values.get('kafka.topics.events')).toEqual(['agents', 'flag', '--set']);
    expect(values.get('kafka.topics.dead-letters')).toEqual(['prod.dead-letters', 'default', undefined]);
  });
});

describe('loopwatch config', () => {
  async function run(...args: string[]) {
    let out = '';
    let err = '';
    const output = { writeOut: (text: string) => (out += text), writeErr: (text: string) => (err += text) };
    const command = configCommand().configureOutput(output).exitOverride();
    let exitCode = 0;
    try {
      await new Command('loopwatch').addCommand(command).parseAsync(['node', 'loopwatch', 'config', ...args]);
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error;
      exitCode = error.exitCode;
    }
    return { out, err, exitCode };
  }

  it('config: prints a table of values and their origins', async () => {
    vi.stubEnv('TOOL_LOOP_MODE', 'break');
    const { out, exitCode } = await run('--set', 'preset=proxy', '--set', 'server.port=80');
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^preset proxy, configuration [0-9a-f]{12}\n/);
    expect(out).toMatch(/^tool_call_loop\.max_repeats +4 +preset proxy$/m);
    expect(out).toMatch(/^tool_call_loop\.mode +block +environment TOOL_LOOP_MODE$/m);
    expect(out).toMatch(/^server\.port +80 +flag --set$/m);
    expect(out).toMatch(/^kafka\.replication_factor +- +default$/m);
  });

  it('config --json: prints the same values, and nothing else', async () => {
    const { out, err } = await run('--json', '--set', 'log.level=debug');
    expect(JSON.parse(out)).toMatchObject({
      configHash: expect.stringMatching(/^[0-9a-f]{12}$/),
      warnings: [],
    });
    expect(JSON.parse(out).values).toContainEqual({
      path: 'log.level',
      value: 'debug',
      source: 'flag',
      name: '--set',
    });
    expect(err).toBe('');
  });

  it('config --check: fails for a misspelled variable', async () => {
    vi.stubEnv('LOOPWATCH_PRESETT', 'x');
    expect(await run('--check')).toEqual({
      out: '',
      err: 'unknown environment variable LOOPWATCH_PRESETT; did you mean LOOPWATCH_PRESET?\n',
      exitCode: 2,
    });
  });

  it('config --check: names each variable and file that a start could not read', async () => {
    const notifications = [
      { name: 'ops', type: 'webhook', url_env: 'OPS_URL', secret: 's' },
      { name: 'chat', type: 'slack', url_env: 'CHAT_URL' },
      { name: 'pager', type: 'pagerduty', routing_key_file: '/nowhere/key' },
      { name: 'traces', type: 'otlp' },
    ];
    vi.stubEnv('LOOPWATCH_NOTIFICATIONS', JSON.stringify(notifications));
    vi.stubEnv('CHAT_URL', 'https://hooks.test/very-secret');
    const registry = ['url=http://registry.test', 'username=u', 'password_file=/nowhere/registry'];
    const sasl = ['mechanism=PLAIN', 'username=u', 'password_file=/nowhere/sasl'];
    const set = [
      ...registry.map((text) => `kafka.schema_registry.${text}`),
      ...sasl.map((text) => `kafka.sasl.${text}`),
      ...['kafka.security_protocol=SASL_PLAINTEXT', 'kafka.brokers=kafka.test:9092'],
    ].flatMap((text) => ['--set', text]);
    expect(await run('--check', ...set)).toEqual({
      out: '',
      err: `${[
        'kafka.sasl.password_file: cannot read /nowhere/sasl: no such file',
        'kafka.schema_registry.password_file: cannot read /nowhere/registry: no such file',
        'notifications: ops: url_env: the environment variable OPS_URL is not set',
        'notifications: pager: routing_key_file: cannot read /nowhere/key: no such file',
      ].join('\n')}\n`,
      exitCode: 2,
    });
    vi.stubEnv('OPS_URL', 'ops');
    vi.stubEnv('LOOPWATCH_NOTIFICATIONS', JSON.stringify(notifications.slice(0, 2)));
    expect(await run('--check')).toMatchObject({
      err: 'notifications: ops: url: must be a URL, such as https://example.com\n',
      exitCode: 2,
    });
    expect(await run()).toMatchObject({ err: '', exitCode: 0 });
  });

  it.each([[['--check']], [[]], [['--json']]])(
    'config %j: exits with 2 and prints the errors on stderr',
    async (args) => {
      const { out, err, exitCode } = await run(...args, '--set', 'log.level=loud', '--set', 'x=1');
      expect({ out, exitCode }).toEqual({ out: '', exitCode: 2 });
      expect(err).toMatch(/log\.level is "loud".*\n.*unknown key x/);
    },
  );
});

it('addConfigOptions: collects every --set', () => {
  const command = addConfigOptions(new Command()).parse(['--set', 'a=1', '--config', 'f', '--set', 'b=2'], {
    from: 'user',
  });
  expect(command.opts()).toEqual({ set: ['a=1', 'b=2'], config: 'f' });
});

it.each([
  ['llm.base_url', 'http://bob:very-secret@models.test/v1', 'http://******@models.test/v1'],
  ['llm.base_url', 'https://very-secret@models.test/v1', 'https://******@models.test/v1'],
  ['llm.base_url', 'http://a:very-secret@b@models.test/v1', 'http://******@models.test/v1'],
  ['server.public_url', 'https://loops.test/?a=b@c', 'https://loops.test/?a=b@c'],
])('effective value of %s: without user and password', (path, url, shown) => {
  const loaded = loadConfig({ set: [`${path}=${url}`] }, [], {});
  expect(effectiveValues(loaded).find((value) => value.path === path)?.value).toBe(shown);
});

describe('notifications in the effective configuration', () => {
  it('effective notifications: secrets are hidden and their sources shown', () => {
    const entries = [
      { name: 'ops', type: 'webhook', url: 'https://hooks.test/very-secret', secret: 'very-secret' },
      { name: 'chat', type: 'slack', token_env: 'SLACK_TOKEN', channel: 'C1' },
      { name: 'traces', type: 'otlp', headers: { authorization: 'very-secret' } },
    ];
    const loaded = loadConfig({}, [], { LOOPWATCH_NOTIFICATIONS: JSON.stringify(entries) });
    const shown = effectiveValues(loaded).find(({ path }) => path === 'notifications')?.value;
    expect(JSON.stringify(shown)).not.toContain('very-secret');
    expect(shown).toMatchObject([
      { url: '******', secret: '******' },
      { token_env: 'SLACK_TOKEN', channel: 'C1' },
      { headers: '******' },
    ]);
  });
});
