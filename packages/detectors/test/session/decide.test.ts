import type { AgentEvent, DetectionInput } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import { createSessionAnalyzer, type SessionAnalyzerHandle } from '../../src/index.ts';
import { denialText, isRefused } from '../../src/internal.ts';

type Call = readonly [name: string, args: object, result: string, failed?: boolean];

const fails: Call = ['Read', { path: 'a' }, 'File does not exist.', true];
const looks: Call = ['Grep', { pattern: 'needle' }, 'src/a.ts:1: needle'];
const lists: Call = ['Glob', { pattern: '*.ts' }, 'src/a.ts\nsrc/b.ts'];

/** An agent that asks before each call, as a hook does. */
class GuardedAgent {
  readonly analyzer: SessionAnalyzerHandle;
  #events = 0;

  constructor(config: DetectionInput = {}) {
    this.analyzer = createSessionAnalyzer(config);
    this.push({ type: 'prompt_started', text: 'Fix the build' });
  }

  /** @returns what was decided of the call; one that may run does, and brings its result */
  call([name, args, result, isError = false]: Call) {
    const decision = this.analyzer.decide({ name, args });
    const callId = `c${String(this.#events)}`;
    this.push({ type: 'tool_call_request', callId, name, args });
    if (isRefused(decision))
      this.push({ type: 'tool_result', callId, result: denialText(decision.guidance ?? ''), isError: true });
    else this.push({ type: 'tool_result', callId, result, isError });
    return decision;
  }

  push(event: Pick<AgentEvent, 'type'> & Record<string, unknown>) {
    this.#events += 1;
    const id = `e${String(this.#events)}`;
    return this.analyzer.push({
      v: 1,
      id,
      sessionId: 's',
      time: this.#events * 1_000,
      ...event,
    });
  }

  actions(calls: readonly Call[]): string[] {
    return calls.map((call) => this.call(call).action);
  }
}

const times = (n: number, ...calls: readonly Call[]): Call[] => Array.from({ length: n }, () => calls).flat();

describe('decide', () => {
  it.each<[what: string, config: DetectionInput, calls: Call[], actions: string]>([
    [
      'the fourth of several identical failing calls',
      {},
      times(7, fails),
      'allow allow allow deny deny stop stop',
    ],
    [
      'a call that counts without its result',
      { preset: 'stream' },
      times(6, looks),
      'allow allow allow allow deny deny',
    ],
    [
      'no poller that has not polled for long',
      {},
      times(5, ['TaskOutput', { id: 1 }, 'running']),
      'allow '.repeat(5).trim(),
    ],
    [
      'the next step of a cycle without progress',
      {},
      times(4, looks, lists),
      'allow allow allow allow allow allow deny deny',
    ],
    [
      'nothing while results are new',
      {},
      [1, 2, 3, 4, 5, 6].map(
        (n): Call => [
          'Bash',
          { command: 'npm test' },
          `${String(n * 7)} tests failed: ${'abcdef'[n - 1] ?? ''}`,
        ],
      ),
      'allow '.repeat(6).trim(),
    ],
    ['nothing while detection is off', { enabled: false }, times(8, fails), 'allow '.repeat(8).trim()],
    [
      'nothing in mode warn, but warns',
      { tool_call_loop: { mode: 'warn' } },
      times(5, fails),
      'allow allow allow warn warn',
    ],
  ])('denies %s', (_what, config, calls, actions) => {
    expect(new GuardedAgent(config).actions(calls).join(' ')).toBe(actions);
  });

  it('allows a different call, which resolves the incident as recovered', () => {
    const agent = new GuardedAgent();
    agent.actions(times(4, fails));
    const other = { name: 'Read', args: { path: 'b' } };
    expect(agent.analyzer.decide(other)).toEqual({
      action: 'allow',
      reason: null,
      guidance: null,
      incidentId: null,
    });
    agent.push({ type: 'tool_call_request', callId: 'b', ...other });
    expect(agent.push({ type: 'tool_result', callId: 'b', result: 'export const b = 1;' })).toMatchObject([
      { phase: 'resolved', outcome: 'recovered' },
    ]);
    expect(agent.call(fails).action).toBe('allow');
  });

  it('returns reason, guidance and incident', () => {
    const agent = new GuardedAgent();
    agent.actions(times(2, fails));
    const opened = agent.push({ type: 'tool_call_request', callId: 'x', name: 'Read', args: { path: 'a' } });
    expect(opened).toEqual([]);
    const [verdict] = agent.push({ type: 'tool_result', callId: 'x', result: fails[2], isError: true });
    expect(agent.analyzer.decide({ name: 'Read', args: '{"path":"a"}' })).toEqual({
      action: 'deny',
      reason: verdict?.reason,
      guidance: verdict?.guidance,
      incidentId: verdict?.incidentId,
    });
  });

  it('escalates if the agent repeats the denied call', () => {
    const agent = new GuardedAgent();
    agent.actions(times(4, fails));
    const { guidance } = agent.call(fails);
    expect(guidance).toContain('You have called Read 4 times in a row');
  });

  it.each<[what: string, error_messages: { block: string; warning?: string }, texts: string[]]>([
    ['from the first on', { block: 'Ask a person.' }, ['Ask a person.', 'Ask a person.', 'Ask a person.']],
    ['after the one of the chance', { block: 'No.', warning: 'Careful.' }, ['Careful.', 'No.', 'No.']],
  ])('gives the custom text of denials %s, also when the turn ends', (_what, error_messages, texts) => {
    const agent = new GuardedAgent({ tool_call_loop: { error_messages } });
    agent.actions(times(3, fails));
    const [first, second, end] = texts;
    expect([agent.call(fails), agent.call(fails), agent.call(fails)]).toMatchObject([
      { action: 'deny', guidance: first },
      { action: 'deny', guidance: second },
      {
        action: 'stop',
        guidance: `${String(end)} Make no more tool calls: say what is done and what is left, and end your turn.`,
      },
    ]);
  });

  it('does not change the state of the session', () => {
    const agent = new GuardedAgent();
    agent.actions([...times(3, fails), looks]);
    const before = JSON.stringify(agent.analyzer.snapshot());
    for (let asked = 0; asked < 5; asked += 1) agent.analyzer.decide({ name: 'Read', args: { path: 'a' } });
    expect(JSON.stringify(agent.analyzer.snapshot())).toBe(before);
  });

  it('decides the same after a restore', () => {
    const agent = new GuardedAgent();
    agent.actions(times(3, fails));
    const restored = createSessionAnalyzer();
    restored.restore(JSON.parse(JSON.stringify(agent.analyzer.snapshot())) as never);
    const call = { name: 'Read', args: { path: 'a' } };
    expect(restored.decide(call)).toEqual(agent.analyzer.decide(call));
  });

  it('continues from a snapshot of an earlier version, which has no open verdicts', () => {
    const agent = new GuardedAgent();
    agent.actions([looks]);
    const { open: _, ...earlier } = agent.analyzer.snapshot() ?? { open: [] };
    const restored = createSessionAnalyzer();
    restored.restore(earlier as never);
    expect(restored.decide({ name: 'Read', args: { path: 'a' } }).action).toBe('allow');
  });

  it('denies every call at a limit until the next prompt', () => {
    const agent = new GuardedAgent({ tool_call_limit: { max_turns: 2 } });
    expect(agent.actions([looks, lists, fails])).toEqual(['allow', 'allow', 'deny']);
    agent.push({ type: 'prompt_started', text: 'Go on' });
    expect(agent.call(looks).action).toBe('allow');
  });

  describe('ends the turn', () => {
    it.each<[what: string, config: DetectionInput, calls: Call[], actions: string]>([
      ['at the first denial', { stop_after_denials: 1 }, times(5, fails), 'allow allow allow stop stop'],
      [
        'at a later denial',
        { stop_after_denials: 4 },
        times(7, fails),
        'allow allow allow deny deny deny stop',
      ],
      ['of a cycle', {}, times(5, looks, lists), 'allow allow allow allow allow allow deny deny stop stop'],
    ])('%s', (_what, config, calls, actions) => {
      expect(new GuardedAgent(config).actions(calls).join(' ')).toBe(actions);
    });

    it('says that no more calls are to be made', () => {
      const agent = new GuardedAgent();
      agent.actions(times(5, fails));
      const { action, reason, guidance } = agent.call(fails);
      expect(action).toBe('stop');
      expect(guidance).toBe(
        `${reason ?? ''}. Make no more tool calls: say what is done and what is left, and end your turn.`,
      );
    });

    it('not after another prompt', () => {
      const agent = new GuardedAgent();
      agent.actions(times(6, fails));
      agent.push({ type: 'prompt_started', origin: 'user', text: 'Try again' });
      expect(agent.actions(times(5, fails)).join(' ')).toBe('allow allow allow deny deny');
    });

    it('not when two loops were denied twice each', () => {
      const agent = new GuardedAgent();
      agent.actions(times(5, fails));
      agent.actions([['Write', { path: 'b' }, 'Wrote 1 line.']]);
      expect(agent.actions(times(5, ['Read', { path: 'c' }, 'Not found.', true])).join(' ')).toBe(
        'allow allow allow deny deny',
      );
    });
  });

  it('allows everything after a pause that ends the session', () => {
    const agent = new GuardedAgent({ session: { idle_seconds: 60 } });
    agent.actions(times(3, fails));
    agent.push({ type: 'turn_started', time: 10_000_000 });
    expect(agent.call(fails).action).toBe('allow');
  });
});
