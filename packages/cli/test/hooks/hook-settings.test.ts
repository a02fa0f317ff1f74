import { parse } from 'jsonc-parser';
import { describe, expect, it } from 'vitest';
import { serverOf } from '../../src/hooks/hook-command.ts';
import { addHook, findHooks, removeHook } from '../../src/hooks/hook-settings.ts';
import { hookDefaults } from '../../src/hooks/hook-target.ts';
import { hookedAgents } from '../../src/hooks/hooked-agents.ts';

const target = { url: 'http://localhost:4600/', tokenEnv: undefined, ...hookDefaults };
const agents = Object.values(hookedAgents).filter(({ layout }) => layout === 'groups' || layout === 'hooks');
const others = { hooks: [{ type: 'command', command: './check.sh' }] };

describe.each(agents)('hook settings of $title', (agent) => {
  const [event = ''] = agent.events;
  const isGrouped = agent.layout === 'groups';
  const other = isGrouped ? others : others.hooks[0];
  /** Files with hooks and no groups name their version. */
  const versioned = (settings: object) => (isGrouped ? settings : { version: 1, ...settings });
  const files: [what: string, text: string][] = [
    ['no file', ''],
    ['an empty object', '{}'],
    ['other settings', '{\n\t"model": "opus",\n\t"list": [1, 2]\n}\n'],
    ['comments and trailing commas', '{\n    // mine\n    "model": "opus", /* and mine */\n}'],
    ['Windows line ends', '\uFEFF{\r\n  "model": "opus"\r\n}\r\n'],
    ['other hooks', JSON.stringify({ hooks: { [event]: [other], Stop: [other] }, model: 'x' }, null, 2)],
  ];

  it.each(files)('hook settings: adding and removing the hook leaves %s unchanged', (_what, text) => {
    const installed = addHook('f.json', text, agent, target);
    expect(findHooks('f.json', installed, agent)).toEqual({
      events: agent.events,
      server: 'http://localhost:4600',
      tokenEnv: undefined,
      waitMs: 500,
    });
    expect(parse(installed)).toMatchObject(versioned({}));
    const removed = removeHook('f.json', installed, agent) ?? '';
    expect(parse(removed)).toEqual(versioned((text === '' ? {} : parse(text)) as object));
    expect(/(?<!\r)\n/.test(installed)).toBe(!text.includes('\r\n'));
    if (isGrouped && (text.startsWith('{\n') || text.startsWith('\uFEFF'))) expect(removed).toBe(text);
    expect(removed.includes('// mine')).toBe(text.includes('// mine'));
  });

  it('hook settings: a second installation replaces the first one and its server', () => {
    const before = addHook('f.json', '', agent, { ...target, url: 'http://old:1' });
    const text = addHook('f.json', before, agent, target);
    expect(text).not.toContain('old:1');
    expect(addHook('f.json', text, agent, target)).toBe(text);
  });

  it.each(['{"a":1,"hooks":{}}', '{ "hooks": { }, "a": 1 }', `{"hooks":{"${event}":[]}}`])(
    'hook settings: a second installation changes nothing in the compact file %s',
    (text) => {
      const installed = addHook('f.json', text, agent, target);
      expect(addHook('f.json', installed, agent, target)).toBe(installed);
    },
  );

  it('hook settings: entries of unknown shapes stay as they are', () => {
    const odd = [null, 5, 'x', [], { matcher: 'x' }, { hooks: null }, { hooks: [null, 5] }];
    const text = JSON.stringify({ version: 1, hooks: { [event]: odd } });
    const installed = addHook('f.json', text, agent, target);
    expect(findHooks('f.json', installed, agent).events).toEqual(agent.events);
    expect(parse(removeHook('f.json', installed, agent) ?? '')).toEqual(parse(text));
  });

  it('hook settings: removal keeps other hooks of the same event and group', () => {
    const both = [...others.hooks, agent.hook(target)];
    const settings = { version: 1, hooks: { [event]: isGrouped ? [{ hooks: both }] : both } };
    const text = JSON.stringify(settings, null, 2);
    const removed = removeHook('f.json', text, agent) ?? '';
    expect(parse(removed)).toEqual({ version: 1, hooks: { [event]: [other] } });
    if (!isGrouped)
      expect(removeHook('f.json', addHook('f.json', removed, agent, target), agent)).toBe(removed);
  });

  it.each<[what: string, text: string, message: RegExp]>([
    ['invalid JSON', '{\n "a": ,\n}', /^f\.json:2: invalid JSON, value expected; fix the file first$/],
    ['an array', '[]', /^f\.json: expected a JSON object$/],
    ['null', 'null', /^f\.json: expected a JSON object$/],
    ['null in place of hooks', '{"hooks":null}', /^f\.json: hooks is not an object; fix it first$/],
    ['a list of hooks', '{"hooks":[]}', /^f\.json: hooks is not an object; fix it first$/],
    [
      'a key that is there twice',
      `{"hooks":{"${event}":[]},"hooks":{"${event}":[]}}`,
      /^f\.json: hooks or an event in it is there twice; fix the file first$/,
    ],
    ['hooks of an unknown shape', JSON.stringify({ hooks: { [event]: {} } }), /hooks\.\w+ is not a list/],
  ])('hook settings: %s is rejected', (_what, text, message) => {
    expect(() => addHook('f.json', text, agent, target)).toThrow(message);
  });
});

it('hook settings: entries of an earlier version are found, and known as such', () => {
  const url = 'http://localhost:4600/api/v1/hooks/claude-code';
  const headers = { Authorization: 'Bearer $TOKEN' };
  const old = JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: 'http', url, headers }] }] } });
  const found = {
    events: ['PreToolUse'],
    server: 'http://localhost:4600',
    tokenEnv: 'TOKEN',
    waitMs: undefined,
  };
  expect(findHooks('f.json', old, hookedAgents['claude-code'])).toEqual(found);
});

it('serverOf: finds the server in a hook command', () => {
  expect(serverOf({ command: "curl 'https://loops.example.com/api/v1/hooks/codex' || true" })).toBe(
    'https://loops.example.com',
  );
});

const tomlHook = `[[hooks]]
event = "PreToolUse"
matcher = "Bash"
command = "./check.sh"
`;
const yamlHook = `hooks:
  # mine
  pre_tool_call:
    - command: ./check.sh
      timeout: 9
`;

it.each<[agent: 'kimi' | 'hermes', what: string, text: string]>([
  ['kimi', 'no file', ''],
  ['kimi', 'other settings', '# mine\ndefault_model = "m"\n\n[models.m]\nmax_context_size = 200000\n'],
  ['kimi', 'Windows line ends', 'default_model = "m"\r\n'],
  ['kimi', 'another hook', `${tomlHook}\n# of the next table\n[models.m]\nmodel = "m"\n`],
  ['kimi', 'another hook at the end', `model = "m"\n\n${tomlHook}`],
  ['hermes', 'no file', ''],
  ['hermes', 'other settings', '# mine\nmodel:\n    default: m   # and mine\nlist: [1,  2]\n'],
  ['hermes', 'other hooks', `model: m\n${yamlHook}other: 1\n`],
  ['hermes', 'Windows line ends', 'model: m\r\nlist: [1]\r\n'],
  ['hermes', 'Windows line ends and other hooks', `model: m\n${yamlHook}other: 1\n`.replaceAll('\n', '\r\n')],
])('hook settings of %s: adding and removing the hook leaves %s unchanged', (name, _what, text) => {
  const agent = hookedAgents[name];
  const tokenEnv = 'LOOPWATCH_INGEST_TOKEN';
  const installed = addHook('f', text, agent, { ...target, tokenEnv });
  const found = { events: agent.events, server: 'http://localhost:4600', tokenEnv, waitMs: 500 };
  expect(findHooks('f', installed, agent)).toEqual(found);
  expect(/(?<!\r)\n/.test(installed)).toBe(!text.includes('\r\n'));
  expect(installed).not.toMatch(/[&*]a1/);
  expect(removeHook('f', installed, agent)).toBe(text);
  const again = addHook('f', addHook('f', text, agent, { ...target, url: 'http://old:1' }), agent, target);
  expect(again).toBe(addHook('f', text, agent, target));
});

it('hook settings of hermes: an empty block of hooks is filled', () => {
  const installed = addHook('f', 'a: 1\nhooks:\nb: 2\n', hookedAgents.hermes, target);
  expect(findHooks('f', installed, hookedAgents.hermes).events).toEqual(hookedAgents.hermes.events);
  expect(installed).toMatch(/^a: 1\nhooks:\n[^]*\nb: 2\n$/);
  expect(addHook('f', installed, hookedAgents.hermes, target)).toBe(installed);
});

it.each<[agent: 'kimi' | 'hermes', what: string, text: string, message: RegExp]>([
  ['kimi', 'hooks as a value', 'hooks = []\n', /^f: hooks is not a list of tables/],
  ['kimi', 'a table of hooks', '[hooks]\na = 1\n', /^f: hooks is not a list of tables/],
  ['kimi', 'invalid TOML', 'b = 1\na = = 1\n', /^f:2: .*; fix the file first$/],
  ['hermes', 'invalid YAML', 'a: [\n', /^f: .*fix the file first$/s],
  ['hermes', 'a list', '- a\n', /^f: expected a mapping$/],
  ['hermes', 'a list of hooks', 'hooks: [a]\n', /^f: hooks is not a mapping; fix it first$/],
  ['hermes', 'hooks of an unknown shape', 'hooks:\n  pre_tool_call: a\n', /hooks\.\w+ is not a list/],
])('hook settings of %s: %s is rejected', (name, _what, text, message) => {
  expect(() => addHook('f', text, hookedAgents[name], target)).toThrow(message);
});
