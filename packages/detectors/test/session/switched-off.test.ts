import type { AgentEvent, DetectionInput } from '@loopwatch/contract';
import { describe, expect, test } from 'vitest';
import { createSessionAnalyzer } from '../../src/index.ts';
import { analyzer, call, run } from '../sessions.ts';

/** Arguments that report each read. */
function watched(): { args: Record<string, unknown>; looks: () => number } {
  let count = 0;
  const look = (): never => {
    count += 1;
    throw new Error('these arguments were looked at');
  };
  const handler = {
    get: look,
    has: look,
    ownKeys: look,
    getOwnPropertyDescriptor: look,
    getPrototypeOf: look,
  };
  return { args: new Proxy({}, handler), looks: () => count };
}

const off: AgentEvent = { type: 'control', set: { enabled: false } };
const toolsOff: AgentEvent = { type: 'control', set: { 'tool_call_loop.enabled': false } };

describe('detection switched off', () => {
  test.each<{ name: string; config: DetectionInput; before: AgentEvent[] }>([
    { name: 'by the server', config: { preset: 'balanced', enabled: false }, before: [] },
    { name: 'by the session', config: { preset: 'balanced' }, before: [off] },
    {
      name: 'by the server, for calls only,',
      config: { preset: 'stream', tool_call_loop: { enabled: false } },
      before: [],
    },
    { name: 'by the session, for calls only,', config: { preset: 'similar' }, before: [toolsOff] },
  ])('$name never reads the arguments of a call', ({ config, before }) => {
    const { args, looks } = watched();
    const session = analyzer(config);
    for (const event of before) session.push(event);
    for (let n = 0; n < 20; n += 1) expect(session.push(call('read', args)).verdicts).toEqual([]);
    expect(looks()).toBe(0);
    // Switched on, the same call is looked at.
    const open = analyzer({ preset: config.preset });
    expect(() => open.push(call('read', args))).toThrow();
    expect(looks()).toBeGreaterThan(0);
  });

  test('by one session leaves others with the same configuration alone', () => {
    const [one, other] = [createSessionAnalyzer(), createSessionAnalyzer()];
    one.push({ sessionId: 'one', ...off });
    const verdictsOf = (session: typeof one) =>
      Array.from({ length: 20 }, () => session.push(call('read', { path: 'a' }))).flat();
    expect(verdictsOf(one)).toEqual([]);
    expect(verdictsOf(other)).not.toEqual([]);
    expect(verdictsOf(createSessionAnalyzer({ preset: 'stream' }))[0]?.preset).toBe('stream');
  });

  test('stores nothing of the events', () => {
    const session = analyzer({ preset: 'balanced', enabled: false });
    const empty = session.snapshot();
    for (let n = 0; n < 20; n += 1) {
      session.push(call('read', { path: 'a' }));
      session.push({ type: 'content', text: 'and so on, '.repeat(100) });
    }
    const { detectors, calls } = session.snapshot();
    expect(detectors).toEqual(empty.detectors);
    expect(detectors.every((state) => state === null)).toBe(true);
    expect(calls).toBeNull();
  });

  test('still applies to the tools that are enabled', () => {
    const config: DetectionInput = {
      tool_call_loop: { enabled: false, per_tool: { search_web: { enabled: true } } },
    };
    const events = ['read', 'search_web'].flatMap((name) => Array.from({ length: 9 }, () => call(name, {})));
    expect(run(events, config).map(({ phase, tool, count }) => [phase, tool?.name, count])).toEqual([
      ['opened', 'search_web', 5],
    ]);
  });
});
