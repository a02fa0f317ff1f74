import { parse } from 'jsonc-parser';
import { describe, expect, it } from 'vitest';
import { addHook, findHooks, removeHook } from '../../src/hooks/hook-settings.ts';
import { hookedAgents, serverOf } from '../../src/hooks/hooked-agents.ts';

const target = { url: 'http://localhost:4600/', tokenEnv: undefined };
const agents = Object.values(hookedAgents);
const others = { hooks: [{ type: 'command', command: './check.sh' }] };

describe.each(agents)('the settings of $title', (agent) => {
  const [event = ''] = agent.events;
  const files: [what: string, text: string][] = [
    ['no file', ''],
    ['an empty object', '{}'],
    ['other settings', '{\n\t"model": "opus",\n\t"list": [1, 2]\n}\n'],
    ['comments and trailing commas', '{\n    // mine\n    "model": "opus", /* and mine */\n}'],
    [
      'hooks of others',
      JSON.stringify({ hooks: { [event]: [others], Stop: [others] }, model: 'x' }, null, 2),
    ],
  ];

  it.each(files)('with %s, get the hook and lose it again, and keep the rest', (_what, text) => {
    const installed = addHook('f.json', text, agent, target);
    expect(findHooks('f.json', installed, agent)).toEqual({
      events: agent.events,
      server: 'http://localhost:4600',
    });
    const removed = removeHook('f.json', installed, agent);
    expect(parse(removed)).toEqual(text === '' ? {} : parse(text));
    expect(removed.includes('// mine')).toBe(text.includes('// mine'));
  });

  it('get it once, and the newest server', () => {
    const before = addHook('f.json', '', agent, { ...target, url: 'http://old:1' });
    const text = addHook('f.json', before, agent, target);
    expect(text).not.toContain('old:1');
    expect(addHook('f.json', text, agent, target)).toBe(text);
  });

  it('keep a hook of others that stands in the same group', () => {
    const both = { hooks: [...others.hooks, agent.hook(target)] };
    const removed = removeHook('f.json', JSON.stringify({ hooks: { [event]: [both] } }), agent);
    expect(parse(removed)).toEqual({ hooks: { [event]: [others] } });
  });

  it.each<[what: string, text: string, message: RegExp]>([
    ['no JSON', '{\n "a": ,\n}', /^f\.json:2: ValueExpected; fix the file first$/],
    ['no object', '[]', /^f\.json: expected a JSON object$/],
    ['hooks of another shape', JSON.stringify({ hooks: { [event]: {} } }), /hooks\.\w+ is not a list/],
  ])('are refused with %s', (_what, text, message) => {
    expect(() => addHook('f.json', text, agent, target)).toThrow(message);
  });
});

it('name the variable of a token, never the token', () => {
  for (const agent of agents)
    expect(JSON.stringify(agent.hook({ ...target, tokenEnv: 'TOKEN' }))).toContain('Bearer $TOKEN');
});

it('say which server a hook asks', () => {
  expect(serverOf({ command: "curl 'https://loops.example.com/api/v1/hooks/codex' || true" })).toBe(
    'https://loops.example.com',
  );
});
