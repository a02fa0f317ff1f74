import { limitTurnRequests, type TurnRequests, turnRequestLimits } from '@loopwatch/guard/acp';
import { describe, expect, it } from 'vitest';

/** A prompt that leads to so many requests, each of which runs the code once. */
const asks = (requests: number) => (_: { sessionId: string }, turns: TurnRequests) => {
  for (let i = 0; i < requests; i += 1) {
    turns.next();
    turns.called(`bash-${String(i + 1)}`);
  }
  return Promise.resolve({ stopReason: 'end_turn' as const });
};

const told = () => {
  const lines: string[] = [];
  const log = (level: string, message: string) => {
    lines.push(`${level} ${message}`);
  };
  return { lines, log };
};

describe('ACP request limit', () => {
  it('ACP request limit: allows exactly the configured number', async () => {
    const prompt = limitTurnRequests(asks(3), { maxTurnRequests: 3 });
    expect(await prompt({ sessionId: 's' })).toEqual({ stopReason: 'end_turn' });
    const endless = limitTurnRequests(asks(1000), { maxTurnRequests: 3 });
    expect(await endless({ sessionId: 's' })).toEqual({
      stopReason: 'max_turn_requests',
      _meta: { turn_requests: 3, max_allowed: 3, last_tool_calls: ['bash-1', 'bash-2', 'bash-3'] },
    });
  });

  it('ACP request limit: defaults to ten, and counts each prompt separately', async () => {
    const prompt = limitTurnRequests(asks(11));
    expect(await prompt({ sessionId: 's' })).toMatchObject({ _meta: { turn_requests: 10, max_allowed: 10 } });
    const ten = limitTurnRequests(asks(10));
    for (let i = 0; i < 3; i += 1) expect(await ten({ sessionId: 's' })).toEqual({ stopReason: 'end_turn' });
    expect(turnRequestLimits).toEqual({ conservative: 5, default: 10, permissive: 20 });
  });

  it('ACP request limit: is logged as it comes near', async () => {
    const { lines, log } = told();
    await limitTurnRequests(asks(99), { maxTurnRequests: 4, log })({ sessionId: 's-7' });
    expect(lines).toEqual([
      'debug Turn request 1/4 for session s-7',
      'debug Turn request 2/4 for session s-7',
      'warn Approaching turn request limit for session s-7 (2/4)',
      'debug Turn request 3/4 for session s-7',
      'debug Turn request 4/4 for session s-7',
      'warn Session s-7 exceeded max turn requests (5/4)',
    ]);
  });

  it('ACP request limit: other errors pass', async () => {
    const prompt = limitTurnRequests(() => Promise.reject(new Error('no model')));
    await expect(prompt({ sessionId: 's' })).rejects.toThrow('no model');
  });

  it.each([0, -1, 1.5, Number.NaN])('ACP request limit: %d is rejected', (maxTurnRequests) => {
    expect(() => limitTurnRequests(asks(1), { maxTurnRequests })).toThrow('allowed: whole numbers from 1');
  });
});
