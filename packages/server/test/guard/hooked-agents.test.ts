import type { HookAgent } from '@loopwatch/contract/api';
import { describe, expect, it } from 'vitest';
import { advised, guidance, hookedServer } from './hooked-server.ts';

const hooks = hookedServer();
const { recorded } = hooks;

/** What the agents are told with a result. */
const advice = (event: string) => ({
  hookSpecificOutput: { hookEventName: event, additionalContext: expect.stringMatching(advised) },
});

// Stops by hooks: Cursor
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
  // The inputs that its plugin sends.
  [
    'opencode',
    'read',
    {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringMatching(guidance),
      },
    },
    advice('PostToolUseFailure'),
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
    // Codex would run a call that such an answer denies; Cursor has no such answer.
    const ended =
      agent === 'codex' || agent === 'cursor'
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
