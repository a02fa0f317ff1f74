import { describe, expect, it } from 'vitest';
import { hookedServer } from './hooked-server.ts';

const hooks = hookedServer();
const { recorded, send } = hooks;

describe('hooks', () => {
  it('record a call along with its result when the hook before it was lost', async () => {
    const input = { session_id: 's-1', tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 'x' };
    await send('/hooks/claude-code', { ...input, hook_event_name: 'PostToolUse', tool_response: 'a.ts' });
    expect(recorded().map(({ type, callId }) => [type, callId])).toEqual([
      ['tool_call_request', 'x'],
      ['tool_result', 'x'],
    ]);
  });

  it("take the inputs of Visual Studio Code's own agent, and end its turn", async () => {
    // By https://code.visualstudio.com/docs/agents/reference/hooks-reference.
    const common = { timestamp: new Date(hooks.clock).toISOString(), cwd: '/w', sessionId: 's-1' };
    const answers: unknown[] = [];
    for (let n = 0; n < 6; n += 1) {
      const call = { tool_name: 'readFile', tool_input: { path: 'a' }, tool_use_id: `t-${String(n)}` };
      const hook = async (more: object) =>
        (await send('/hooks/copilot', { ...common, ...call, ...more })).body;
      answers.push(await hook({ hookEventName: 'PreToolUse' }));
      if (n < 3) await hook({ hookEventName: 'PostToolUse', tool_response: 'an empty file' });
    }
    expect(answers.slice(0, 3)).toEqual([{}, {}, {}]);
    expect(answers[3]).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
    expect(answers[5]).toMatchObject({ continue: false, hookSpecificOutput: { permissionDecision: 'deny' } });
  });

  it('keep a sub-agent apart from its parent', async () => {
    const parent = hooks.agent('claude-code', 's-1');
    const child = hooks.agent('claude-code', 's-1', { agent_id: 'a1' });
    for (let n = 0; n < 2; n += 1) {
      await parent.call('Read', { file_path: 'a' }, 'gone', { failed: true });
      expect(await child.call('Read', { file_path: 'a' }, 'gone', { failed: true })).toEqual({
        before: {},
        after: {},
      });
    }
    expect(new Set(recorded().map(({ sessionId }) => sessionId))).toEqual(new Set(['s-1', 's-1/a1']));
  });

  it('end the turn of Claude Code after the batch of calls whose loop was denied three times, once', async () => {
    const hooked = hooks.agent('claude-code', 's-1');
    const batch = { session_id: 's-1', hook_event_name: 'PostToolBatch' };
    const ends: unknown[] = [];
    for (let n = 0; n < 6; n += 1) {
      await hooked.call('Read', { file_path: 'a' }, 'gone', { failed: true });
      ends.push((await send('/hooks/claude-code', batch)).body);
    }
    expect(ends.slice(0, 5)).toEqual([{}, {}, {}, {}, {}]);
    expect(ends[5]).toEqual({ continue: false, stopReason: expect.stringContaining('end your turn') });
    expect((await send('/hooks/claude-code', batch)).body).toEqual({});
  });

  it('answer events without calls with an empty object', async () => {
    const input = { session_id: 's-1', hook_event_name: 'Notification', message: 'waiting' };
    expect(await send('/hooks/claude-code', input)).toEqual({ status: 200, body: {} });
    expect(recorded()).toEqual([]);
  });

  it.each<[what: string, path: string, body: unknown, status: number, detail: RegExp]>([
    [
      'an unknown agent',
      '/hooks/aider',
      {},
      404,
      /Unknown agent aider; expected one of claude-code, codex, gemini, copilot, cursor, opencode, pi, kimi, grok, hermes, generic/,
    ],
    [
      'other input',
      '/hooks/codex',
      { type: 'tool_call_request' },
      400,
      /hook_event_name: expected a non-empty string/,
    ],
    [
      'input without a session',
      '/hooks/codex',
      { hook_event_name: 'Stop' },
      400,
      /session_id: expected a non-empty string/,
    ],
    ['input that is not JSON', '/hooks/codex', '{', 400, /JSON/],
  ])('reject %s', async (_what, path, body, status, detail) => {
    expect(await send(path, body)).toMatchObject({ status, body: { detail: expect.stringMatching(detail) } });
  });

  it('let the agent continue while the log is unavailable', async () => {
    hooks.log.failure = new Error('no broker');
    const hooked = hooks.agent('claude-code', 's-1');
    expect(await hooked.call('Read', { file_path: 'a' }, 'text')).toEqual({ before: {}, after: {} });
  });
});
