import { expect, it } from 'vitest';
import { hookedAgents } from '../../src/hooks/hooked-agents.ts';
import { denied, importPlugin, startHookServer } from './plugin-runs.ts';

type Handler = (event: object, context: object) => Promise<unknown>;

/** pi with the extension, by `docs/extensions.md` of `@earendil-works/pi-coding-agent` 1.6. */
async function startPi(answers: object[]) {
  const { url, posted } = await startHookServer(answers);
  const { default: extension } = (await importPlugin(hookedAgents.pi, url, {})) as {
    default: (pi: object) => void;
  };
  const handlers = new Map<string, Handler>();
  extension({ on: (event: string, handler: Handler) => void handlers.set(event, handler) });
  const shown: unknown[] = [];
  let aborted = 0;
  const context = {
    cwd: '/work',
    hasUI: true,
    ui: { notify: (...said: unknown[]) => void shown.push(said) },
    abort: () => (aborted += 1),
    sessionManager: { getSessionId: () => 's-1', getSessionFile: () => '/sessions/s-1.jsonl' },
  };
  const on = async (event: string, fields: object = {}) => handlers.get(event)?.(fields, context);
  return { on, shown, posted, aborted: () => aborted };
}

const call = { toolName: 'read', toolCallId: 'c-1', input: { path: 'a' } };
const session = { session_id: 's-1', transcript_path: '/sessions/s-1.jsonl', cwd: '/work' };
const sentCall = { ...session, tool_name: 'read', tool_input: { path: 'a' }, tool_use_id: 'c-1' };
const text = (of: string) => ({ type: 'text', text: of });

it('pi extension: sends a prompt, a call, its result and the end, and passes the advice to the model', async () => {
  const advice = { hookSpecificOutput: { additionalContext: 'You repeat yourself' } };
  const { on, posted } = await startPi([{}, {}, advice]);
  await on('input', { text: 'Read a', source: 'interactive' });
  expect(await on('tool_call', call)).toBeUndefined();
  const content = [text('some'), { type: 'image', data: 'iVBOR', mimeType: 'image/png' }];
  expect(await on('tool_result', { ...call, content, isError: false })).toEqual({
    content: [...content, text('You repeat yourself')],
  });
  await on('session_shutdown', { reason: 'quit' });
  expect(posted.map(({ body }) => body)).toEqual([
    { ...session, hook_event_name: 'UserPromptSubmit', prompt: 'Read a' },
    { ...sentCall, hook_event_name: 'PreToolUse' },
    { ...sentCall, hook_event_name: 'PostToolUse', tool_response: 'some\n[image iVBOR]' },
    { ...session, hook_event_name: 'SessionEnd' },
  ]);
});

it('pi extension: tells a failed call, and nothing of what the user and the model did not do', async () => {
  const { on, posted } = await startPi([]);
  await on('input', { text: 'Continue', source: 'extension' });
  await on('tool_call', { ...call, parentToolCallId: 'c-0' });
  await on('tool_result', { ...call, parentToolCallId: 'c-0', content: [text('some')], isError: false });
  await on('session_shutdown', { reason: 'reload' });
  expect(await on('tool_result', { ...call, content: [text('gone')], isError: true })).toBeUndefined();
  expect(posted.map(({ body }) => body)).toEqual([
    { ...sentCall, hook_event_name: 'PostToolUseFailure', tool_response: 'gone' },
  ]);
});

it('pi extension: denies a call, ends the turn if told to, and shows warnings', async () => {
  const end = denied('End', { continue: false });
  const { on, shown, aborted } = await startPi([
    { systemMessage: 'Loopwatch: it repeats' },
    denied('No'),
    end,
  ]);
  expect(await on('tool_call', call)).toBeUndefined();
  expect(shown).toEqual([['Loopwatch: it repeats', 'warning']]);
  expect(await on('tool_call', call)).toEqual({ block: true, reason: 'No', terminate: false });
  await on('turn_start');
  expect(aborted()).toBe(0);
  expect(await on('tool_call', call)).toEqual({ block: true, reason: 'End', terminate: true });
  // pi asks the model again only if the response had other calls.
  await on('turn_start');
  expect(aborted()).toBe(1);
  await on('input', { text: 'Try b', source: 'interactive' });
  await on('turn_start');
  expect(aborted()).toBe(1);
});

it('pi extension: ends a turn even if another call of the response is only denied', async () => {
  const { on, aborted } = await startPi([denied('End', { continue: false }), denied('No')]);
  expect(await on('tool_call', call)).toMatchObject({ terminate: true });
  expect(await on('tool_call', { ...call, toolCallId: 'c-2' })).toMatchObject({ terminate: true });
  await on('turn_start');
  expect(aborted()).toBe(1);
});
