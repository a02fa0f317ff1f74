import { createSessionAnalyzer } from '@loopwatch/detectors';
import { describe, expect, it } from 'vitest';
import { START } from '../verdicts.ts';
import { decisionOf, type HookedAgent, hookedServer } from './hooked-server.ts';

const hooks = hookedServer();
const { recorded, send } = hooks;

describe('hooks', () => {
  it.each([
    ['Claude Code', 'claude-code', true],
    ['agents that do not tell of batches', 'codex', false],
  ] as const)('deny calls side by side, and end the turn: %s', async (_what, agent, hasBatches) => {
    const hook = async (event: string, more: object) =>
      (
        await send(`/hooks/${agent}`, {
          session_id: 's-1',
          hook_event_name: event,
          ...(agent === 'codex' && { turn_id: 't-1' }),
          ...more,
        })
      ).body;
    const answers: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      const run: object[] = [];
      for (const file of ['a', 'b']) {
        const call = { tool_name: 'Read', tool_input: { file }, tool_use_id: `${file}-${String(n)}` };
        const before = JSON.stringify(await hook('PreToolUse', call));
        answers.push(
          before.includes('Make no more tool calls') ? 'end' : before.includes('"deny"') ? 'deny' : 'run',
        );
        if (before === '{}') run.push({ ...call, tool_response: `text of ${file}` });
      }
      for (const call of run) await hook('PostToolUse', call);
      if (hasBatches) await hook('PostToolBatch', {});
    }
    expect(answers.join(' ')).toBe('run run run run run run deny deny end end');
    const verdicts = createSessionAnalyzer();
    const counts = recorded().flatMap((event) => verdicts.push(event).map(({ count }) => count));
    expect(counts).toEqual([3, 4]);
  });

  const actions = async (hooked: HookedAgent, count: number, prompt?: (n: number) => string) => {
    const said: string[] = [];
    for (let n = 0; n < count; n += 1) {
      if (prompt !== undefined) await hooked.prompt(prompt(n));
      said.push(
        decisionOf(await hooked.call('Bash', { command: 'npm test' }, '1 failing', { failed: true })),
      );
    }
    return said.join(' ');
  };

  it.each([-7_200_000, 7_200_000])(
    'use the time of the server, though an agent is %s ms off',
    async (off) => {
      const hooked = hooks.agent('gemini', 's-1', { timestamp: new Date(START + off).toISOString() });
      expect(await actions(hooked, 5)).toBe('run run run deny deny');
    },
  );

  it.each<[what: string, prompt: (n: number) => string, said: string]>([
    ['a person asks', (n) => `Run the tests, as of change ${String(n)}`, 'run run run run run'],
    ['a program sends the same prompt', () => 'Go on', 'run run run deny deny'],
    [
      'a known program reminds the agent',
      (n) => `<system-reminder>${String(n)}</system-reminder>`,
      'run run run deny deny',
    ],
  ])('start over when %s within seconds of a result', async (_what, prompt, said) => {
    expect(await actions(hooks.agent('claude-code', 's-1'), 5, prompt)).toBe(said);
  });

  const before = async (event: object) =>
    decisionOf({
      before: (
        await send('/hooks/claude-code', {
          session_id: 's-1',
          hook_event_name: 'PreToolUse',
          tool_name: 'Bash',
          tool_input: { command: 'ls' },
          ...event,
        })
      ).body,
    });

  it.each([
    ['one after another', 12, false, 'run '.repeat(8) + 'deny deny deny deny'],
    ['in batches', 6, true, 'run run run run deny deny'],
    ['side by side', 5, false, 'run run run run run'],
  ])(
    'count identical calls whose results they are not told of: %s',
    async (_what, count, hasBatches, said) => {
      const answers: string[] = [];
      for (let n = 0; n < count; n += 1) {
        answers.push(await before({ tool_use_id: `t-${String(n)}` }));
        if (hasBatches) await before({ hook_event_name: 'PostToolBatch' });
      }
      expect(answers.join(' ')).toBe(said);
    },
  );

  it('answer a call that they are told of twice once', async () => {
    const answers: string[] = [];
    for (let n = 0; n < 6; n += 1) {
      const call = { tool_use_id: `t-${String(n)}`, error: 'gone' };
      const [first, second] = [await before(call), await before(call)];
      expect(second).toBe(first);
      answers.push(first);
      if (first === 'deny') continue;
      for (const hook_event_name of ['PostToolUseFailure', 'PostToolUseFailure'])
        await before({ ...call, hook_event_name });
    }
    expect(answers.join(' ')).toBe('run run run deny deny deny');
    const isEnd = ({ result }: { result?: unknown }) => String(result).includes('Make no more tool calls');
    expect(recorded().filter(isEnd)).toHaveLength(1);
  });
});
