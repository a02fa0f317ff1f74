import { describe, expect, it } from 'vitest';
import { START, verdict } from '../verdicts.ts';
import { decisionOf, type HookedAgent, hookedServer } from './hooked-server.ts';

const hooks = hookedServer();
const { send, stored } = hooks;

const range = (length: number) => Array.from({ length }, (_, i) => 100 + i);

describe('a budget', () => {
  const used = 'This session has used its budget: 10 of 10 tool calls';

  it('warns once, allows the last call, and denies every other, even after a prompt', async () => {
    await send('/settings/server', { set: { 'budget.calls': 10 } }, 'PUT');
    hooks.clock += 2_000;
    const hooked = hooks.agent('claude-code', 's-1');
    await hooked.prompt('Read them all');
    const answers: unknown[] = [];
    for (let n = 0; n < 10; n += 1)
      answers.push((await hooked.call('Read', { file_path: String(n) }, `text ${String(n)}`)).before);
    const note = 'Loopwatch: This session has used 80% of its budget: 8 of 10 tool calls';
    const none = Array<object>(8).fill({});
    expect(answers).toEqual([...none, { systemMessage: note }, {}]);
    const denied = {
      before: {
        continue: false,
        stopReason: expect.stringContaining(used) as string,
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'deny',
          permissionDecisionReason: expect.stringContaining(used) as string,
        },
      },
    };
    expect(await hooked.call('Read', { file_path: 'new' }, 'text')).toMatchObject(denied);
    await hooked.prompt('Go on');
    expect(await hooked.call('Read', { file_path: 'newer' }, 'text')).toMatchObject(denied);
  });

  describe('with on_budget: ask', () => {
    const set = { 'budget.calls': 3, on_budget: 'ask' };
    const apply = async () => {
      await send('/settings/server', { set }, 'PUT');
      hooks.clock += 2_000;
    };
    const question = {
      before: {
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'ask',
          permissionDecisionReason: expect.stringContaining('3 of 3') as string,
        },
      },
    };
    /** The answers to calls of different files. */
    const actions = async (hooked: HookedAgent, files: readonly number[], approves: boolean) => {
      const said: unknown[] = [];
      for (const file of files)
        said.push(
          decisionOf(await hooked.call('Read', { file_path: `f-${String(file)}` }, 'text', { approves })),
        );
      return said.join(' ');
    };

    it('makes Claude Code ask its user, once for ten calls', async () => {
      await apply();
      const hooked = hooks.agent('claude-code', 's-9');
      expect(await actions(hooked, [1, 2, 3], true)).toBe('run run run');
      expect(await hooked.call('Read', { file_path: 'new' }, 'text')).toMatchObject(question);
      expect(await actions(hooked, range(9), true)).toBe('run '.repeat(9).trim());
      expect(await actions(hooked, [20, 21], true)).toBe('ask run');
    });

    it('ends the turn after three questions without an approval, until the next prompt', async () => {
      await apply();
      const hooked = hooks.agent('claude-code', 's-9');
      await actions(hooked, [1, 2, 3], true);
      expect(await actions(hooked, [4, 5, 6, 7], false)).toBe('ask ask ask deny');
      await hooked.prompt('Go on');
      expect(await actions(hooked, [8, 9], true)).toBe('ask run');
    });

    it('ends the turn of agents that cannot ask', async () => {
      await apply();
      const hooked = hooks.agent('gemini', 's-9');
      expect(await actions(hooked, [1, 2, 3, 4], true)).toBe('run run run deny');
    });

    it('tells others to ask, too', async () => {
      await apply();
      const hooked = hooks.agent('claude-code', 's-9');
      await actions(hooked, [1, 2, 3], true);
      expect(await send('/decide', { sessionId: 's-9', name: 'get', args: {} })).toMatchObject({
        body: { action: 'stop', ask: true },
      });
    });
  });

  it('exceeded in another process denies calls even after a prompt', async () => {
    const limit = { kind: 'limit', detector: 'budget', action: 'block', tool: null } as const;
    hooks.log.appendVerdict(
      verdict({ incidentId: 'i-8', sessionId: 's-9', time: START, reason: used, ...limit }),
    );
    await stored();
    const ask = () => send('/decide', { sessionId: 's-9', name: 'get', args: {} });
    expect(await ask()).toMatchObject({ body: { action: 'stop', reason: used } });
    await send('/events', { sessionId: 's-9', type: 'prompt_started', text: 'Go on', time: START + 5_000 });
    expect(await ask()).toMatchObject({ body: { action: 'stop', reason: used } });
  });
});
