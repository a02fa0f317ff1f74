import { expect, it, onTestFinished, vi } from 'vitest';
import { addHook, findHooks, removeHook } from '../../src/hooks/hook-settings.ts';
import { hookDefaults } from '../../src/hooks/hook-target.ts';
import { hookedAgents } from '../../src/hooks/hooked-agents.ts';
import { denied, importPlugin, startHookServer } from './plugin-runs.ts';

const agent = hookedAgents.opencode;

/** The hooks of a plugin, by the types of `@opencode-ai/plugin` 1.18. */
interface PluginHooks {
  'chat.message': (input: object, output: { parts: object[] }) => Promise<void>;
  'tool.execute.before': (input: object, output: { args: object }) => Promise<void>;
  'tool.execute.after': (input: object, output: { output: string }) => Promise<void>;
  event: (input: { event: object }) => Promise<void>;
}

async function load(url: string, more: object = {}) {
  const { Loopwatch } = (await importPlugin(agent, url, more)) as {
    Loopwatch: (context: object) => Promise<PluginHooks>;
  };
  const aborted: unknown[] = [];
  const shown: unknown[] = [];
  const client = {
    session: { abort: (request: unknown) => Promise.resolve(void aborted.push(request)) },
    tui: { showToast: (request: unknown) => Promise.resolve(void shown.push(request)) },
  };
  return { hooks: await Loopwatch({ client }), aborted, shown };
}

const call = (n: number, sessionID = 's-1') => ({ tool: 'read', sessionID, callID: `c-${String(n)}` });
const args = { filePath: 'a' };
it('opencode plugin: sends a prompt, a call and its result, and passes the advice to the model', async () => {
  const advice = { hookSpecificOutput: { additionalContext: 'You repeat yourself' } };
  const { url, posted } = await startHookServer([{}, {}, advice]);
  const { hooks } = await load(url);
  await hooks['chat.message']({ sessionID: 's-1' }, { parts: [{ type: 'text', text: 'Read a' }] });
  await hooks['tool.execute.before'](call(1), { args });
  const result = { output: 'text' };
  await hooks['tool.execute.after'](call(1), result);
  const sent = { session_id: 's-1', tool_name: 'read', tool_input: args, tool_use_id: 'c-1' };
  expect(posted.map(({ body }) => body)).toEqual([
    { session_id: 's-1', hook_event_name: 'UserPromptSubmit', prompt: 'Read a' },
    { ...sent, hook_event_name: 'PreToolUse' },
    { ...sent, hook_event_name: 'PostToolUse', tool_response: 'text' },
  ]);
  expect(result.output).toBe('text\n\nYou repeat yourself');
});

it('opencode plugin: reports the error of a call once, and none of a call that it denied', async () => {
  const { url, posted } = await startHookServer([{}, {}, denied('No')]);
  const { hooks } = await load(url);
  const failed = (n: number) => ({
    type: 'message.part.updated',
    properties: {
      part: {
        type: 'tool',
        sessionID: 's-1',
        callID: `c-${String(n)}`,
        state: { status: 'error', error: 'gone' },
      },
    },
  });
  await hooks['tool.execute.before'](call(1), { args });
  await hooks.event({ event: failed(1) });
  await hooks.event({ event: failed(1) });
  await expect(hooks['tool.execute.before'](call(2), { args })).rejects.toThrow('No');
  await hooks.event({ event: failed(2) });
  expect(posted.map(({ body }) => [body['hook_event_name'], body['error']])).toEqual([
    ['PreToolUse', undefined],
    ['PostToolUseFailure', 'gone'],
    ['PreToolUse', undefined],
  ]);
});

it('opencode plugin: ends the turn if told to, shows warnings, and sends the token', async () => {
  const warned = { systemMessage: 'Loopwatch: it repeats' };
  const { url, posted } = await startHookServer([warned, denied('No', { continue: false })]);
  process.env['LOOPWATCH_PLUGIN_TEST_TOKEN'] = 'secret';
  onTestFinished(() => void delete process.env['LOOPWATCH_PLUGIN_TEST_TOKEN']);
  const { hooks, aborted, shown } = await load(url, { tokenEnv: 'LOOPWATCH_PLUGIN_TEST_TOKEN' });
  await hooks['tool.execute.before'](call(1), { args });
  expect([shown, aborted]).toEqual([[{ body: { message: warned.systemMessage, variant: 'warning' } }], []]);
  await expect(hooks['tool.execute.before'](call(2), { args })).rejects.toThrow('No');
  expect(aborted).toEqual([{ path: { id: 's-1' } }]);
  expect(posted[0]?.authorization).toBe('Bearer secret');
});

it('opencode plugin: reports the calls of a sub-agent below the session that started it', async () => {
  const { url, posted } = await startHookServer();
  const { hooks } = await load(url);
  const info = { id: 's-2', parentID: 's-1' };
  await hooks.event({ event: { type: 'session.created', properties: { info } } });
  // The prompt of a sub-agent is not the user's.
  await hooks['chat.message']({ sessionID: 's-2' }, { parts: [{ type: 'text', text: 'Look' }] });
  await hooks['tool.execute.before'](call(1, 's-2'), { args });
  expect(posted.map(({ body }) => [body['session_id'], body['agent_id']])).toEqual([['s-1', 's-2']]);
});

it('opencode plugin: lets calls run without a server, and asks a server that hangs once', async () => {
  const absent = await load('http://127.0.0.1:9');
  await absent.hooks['tool.execute.before'](call(1), { args });
  const { url, posted } = await startHookServer([undefined]);
  const { hooks, shown } = await load(url, { waitMs: 100 });
  for (let n = 0; n < 3; n += 1) await hooks['tool.execute.before'](call(n), { args });
  expect(posted).toHaveLength(1);
  expect(shown).toMatchObject([{ body: { message: expect.stringContaining('too slow') as string } }]);
});

it('opencode plugin: the first pause is short, and the next one is longer', async () => {
  const { url, posted } = await startHookServer([undefined, undefined, {}, undefined]);
  const { hooks } = await load(url, { waitMs: 4_000 });
  let later = 0;
  const real = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => real() + later);
  onTestFinished(() => void vi.restoreAllMocks());
  const askedAfter = async (seconds: number) => {
    later += seconds * 1_000;
    await hooks['tool.execute.before'](call(0), { args });
    return posted.length;
  };
  expect([await askedAfter(0), await askedAfter(8)]).toEqual([1, 1]);
  expect([await askedAfter(4), await askedAfter(16)]).toEqual([2, 2]);
  // A quick answer ends it all.
  expect([await askedAfter(8), await askedAfter(0), await askedAfter(12)]).toEqual([3, 4, 5]);
});

it('opencode plugin: its file tells of its installation, and nothing is left of it', () => {
  const target = { url: 'http://localhost:4600/', tokenEnv: 'TOKEN', ...hookDefaults };
  const text = addHook('f.js', '', agent, target);
  expect(findHooks('f.js', text, agent)).toEqual({
    events: agent.events,
    server: 'http://localhost:4600',
    tokenEnv: 'TOKEN',
    waitMs: 500,
  });
  expect(findHooks('f.js', 'export const Mine = async () => ({});', agent).events).toEqual([]);
  expect(removeHook('f.js', text, agent)).toBeNull();
});
