import type { HookAgent } from '@loopwatch/contract/api';
import { describe, expect, it } from 'vitest';
import { advised, guidance, hookedServer } from './hooked-server.ts';

const hooks = hookedServer();
const { recorded } = hooks;

/** What the agents are told with a result. */
const advice = (event: string) => ({
  hookSpecificOutput: { hookEventName: event, additionalContext: expect.stringMatching(advised) },
});

// Stops by hooks: Cursor; Kimi Code; Hermes
describe.each<[agent: HookAgent, tool: string, denied: unknown, advised: object]>([
  [
    'claude-code',
    'Read',
    {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringMatching(guidance),
      },
    },
    advice('PostToolUseFailure'),
  ],
  [
    'codex',
    'shell',
    {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringMatching(guidance),
      },
    },
    advice('PostToolUse'),
  ],
  ['gemini', 'read_file', { decision: 'deny', reason: expect.stringMatching(guidance) }, advice('AfterTool')],
  // The inputs that Copilot CLI 1.0.102 sends; it reads the first of the two.
  [
    'copilot',
    'Read',
    {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringMatching(guidance),
      },
    },
    { additionalContext: expect.stringMatching(advised), ...advice('PostToolUseFailure') },
  ],
  // The inputs and outputs that https://cursor.com/docs/agent/hooks describes.
  [
    'cursor',
    'Read',
    {
      permission: 'deny',
      user_message: expect.stringMatching(guidance),
      agent_message: expect.stringMatching(guidance),
    },
    { additional_context: expect.stringMatching(advised) },
  ],
  // The inputs that their plugins send.
  ...(['opencode', 'pi'] as const).map((agent): [HookAgent, string, unknown, object] => [
    agent,
    'read',
    {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringMatching(guidance),
      },
    },
    advice('PostToolUseFailure'),
  ]),
  // The inputs that Kimi Code 2.1.0, Grok Build 1.0.41 and Hermes 0.19.0 send, which know of a denial, and of no end of the turn.
  [
    'kimi',
    'Read',
    {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringMatching(guidance),
      },
    },
    // It reads no answers to results.
    advice('PostToolUseFailure'),
  ],
  [
    'grok',
    'read_file',
    {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringMatching(guidance),
      },
    },
    advice('PostToolUse'),
  ],
  [
    'hermes',
    'read_file',
    { decision: 'block', reason: expect.stringMatching(guidance) },
    advice('post_tool_call'),
  ],
])('hooks of %s', (agent, tool, denied, advised) => {
  const accepted = agent === 'cursor' ? { continue: true } : {};

  const fails = { file_path: '/src/absent.ts' };
  const text = 'File does not exist: /src/absent.ts';

  it('deny the fourth call of a loop, but not other calls', async () => {
    const hooked = hooks.agent(agent, 's-1');
    expect(await hooked.prompt('Mend the build')).toEqual(accepted);
    expect(await hooked.call(tool, fails, text, { failed: true })).toEqual({ before: {}, after: {} });
    expect(await hooked.call(tool, fails, text, { failed: true })).toEqual({ before: {}, after: {} });
    expect(await hooked.call(tool, fails, text, { failed: true })).toEqual({
      before: {},
      after: advised,
    });
    expect(await hooked.call(tool, fails, text, { failed: true })).toEqual({ before: denied });
    expect(await hooked.call(tool, { file_path: '/src/present.ts' }, 'export const a = 1;')).toEqual({
      before: {},
      after: {},
    });
  });

  it('end the turn at the third denial of a loop, until the next prompt', async () => {
    const hooked = hooks.agent(agent, 's-1');
    await hooked.prompt('Mend the build');
    const answers: unknown[] = [];
    for (let n = 0; n < 7; n += 1)
      answers.push((await hooked.call(tool, fails, text, { failed: true })).before);
    // Codex would run a call that such an answer denies; the others have no such answer.
    const ended = ['codex', 'cursor', 'kimi', 'grok', 'hermes'].includes(agent)
      ? {}
      : { continue: false, stopReason: expect.stringContaining('end your turn') };
    const isEnd = (answer: unknown) => JSON.stringify(answer).includes('Make no more tool calls');
    expect(answers.map(isEnd)).toEqual([false, false, false, false, false, true, true]);
    expect(answers[5]).toMatchObject(ended);
    // A user needs a moment to read the reason and to answer.
    hooks.clock += 20_000;
    await hooked.prompt('Try another file');
    expect(await hooked.call(tool, fails, text, { failed: true })).toEqual({ before: {}, after: {} });
  });

  it('record each call once, the denied one with its guidance', async () => {
    const hooked = hooks.agent(agent, 's-1');
    await hooked.prompt('Mend the build');
    for (let n = 0; n < 4; n += 1) await hooked.call(tool, fails, text, { failed: true });
    await hooked.prompt('Go on');
    expect(recorded().map(({ type }) => type)).toEqual([
      'prompt_started',
      ...Array.from({ length: 4 }, () => [
        'turn_started',
        'tool_call_request',
        'tool_result',
        'turn_finished',
      ]).flat(),
      'prompt_started',
    ]);
    expect(recorded().at(-3)?.result).toMatch(guidance);
  });

  it('never interfere with an agent that makes progress', async () => {
    const hooked = hooks.agent(agent, 's-1');
    for (let n = 0; n < 12; n += 1) {
      const file = { file_path: `/src/${String(n % 6)}.ts` };
      expect(await hooked.call(tool, file, `export const n = ${String(n * 31)};`)).toEqual({
        before: {},
        after: {},
      });
    }
  });
});

describe('sub-agents of Kimi Code, which have the id of their parent', () => {
  const read = { path: 'README.md' };

  it('are sessions of their own', async () => {
    const hooked = hooks.agent('kimi', 's-1');
    await hooked.prompt('Look');
    await hooked.call('Read', read, 'a');
    await hooked.subAgent('SubagentStart');
    await hooked.call('Read', read, 'a');
    await hooked.subAgent('SubagentStop');
    await hooked.call('Read', read, 'a');
    const calls = recorded().filter(({ type }) => type === 'tool_call_request');
    expect(calls.map(({ sessionId }) => sessionId)).toEqual(['s-1', 's-1/sub-1', 's-1']);
  });

  it('are no loop where several make the same calls at once', async () => {
    const hooked = hooks.agent('kimi', 's-1');
    await hooked.prompt('Look');
    for (let n = 0; n < 6; n += 1) await hooked.subAgent('SubagentStart');
    for (let n = 0; n < 6; n += 1)
      expect(await hooked.call('Read', read, 'a')).toEqual({ before: {}, after: {} });
    await hooked.prompt('And now?');
    for (let n = 0; n < 3; n += 1) await hooked.call('Read', read, 'a');
    expect(JSON.stringify(await hooked.call('Read', read, 'a'))).toContain('"deny"');
  });

  it('begin with no prompt of a user', async () => {
    const hooked = hooks.agent('kimi', 's-1');
    await hooked.prompt('Look');
    await hooked.subAgent('SubagentStart');
    await hooks.send('/hooks/kimi', {
      hook_event_name: 'TurnStarted',
      session_id: 's-1',
      client_type: 'kimi_code_cli',
      origin_kind: 'system_trigger',
      prompt: 'Look there',
    });
    expect(recorded().filter(({ type }) => type === 'prompt_started')).toHaveLength(1);
  });
});

it('hooks of Grok Build are known by their inputs where it runs those of another agent’s settings', async () => {
  const more = { hookEventName: 'pre_tool_use', sessionId: 's-1', workspaceRoot: '/w' };
  const input = { hook_event_name: 'PreToolUse', tool_name: 'read_file', tool_input: { target_file: 'a' } };
  for (let n = 0; n < 3; n += 1) {
    const id = { ...more, session_id: 's-1', ...input, tool_use_id: `t-${String(n)}` };
    await hooks.send('/hooks/cursor', id);
    const tool_response = { type: 'ReadFile', FileNotFound: 'Error: a does not exist.' };
    await hooks.send('/hooks/cursor', { ...id, hook_event_name: 'PostToolUse', tool_response });
  }
  const { body } = await hooks.send('/hooks/cursor', {
    ...more,
    session_id: 's-1',
    ...input,
    tool_use_id: 't-9',
  });
  expect(body).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
  expect(recorded().find(({ type }) => type === 'tool_result')).toMatchObject({ agent: 'grok' });
});
