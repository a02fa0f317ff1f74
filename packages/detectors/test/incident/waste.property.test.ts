import { type AgentEvent, isOpenAfter, type OpenIncidentSummary } from '@loopwatch/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PureVerdict, SessionSnapshot } from '../../src/index.ts';
import { accountOf, openIncidentSummaries, type SessionAccount } from '../../src/internal.ts';
import { eventsOf, loopingTurns } from '../looping-turns.ts';
import { analyzer } from '../sessions.ts';

/** A loop as of some event: what it says of itself, and the events that it spans. */
interface Loop {
  readonly from: number;
  readonly to: number;
  readonly cost: OpenIncidentSummary['cost'];
  readonly wasted: NonNullable<OpenIncidentSummary['wasted']>;
}

/** Runs a session, its state going through JSON now and then, and collects its loops and limits. */
class Watched {
  readonly events: AgentEvent[] = [];
  #session = analyzer(config);
  readonly #verdicts = new Map<string, PureVerdict>();

  push(event: AgentEvent, reload: boolean): void {
    if (reload) {
      const snapshot = JSON.parse(JSON.stringify(this.#session.snapshot())) as SessionSnapshot;
      this.#session = analyzer(config);
      this.#session.restore(snapshot);
    }
    this.events.push(event);
    for (const verdict of this.#session.push(event).verdicts) this.#verdicts.set(verdict.incidentId, verdict);
  }

  get account(): SessionAccount {
    return accountOf(this.#session.state);
  }

  get loops(): Loop[] {
    const open = new Map(openIncidentSummaries(this.#session.state).map((one) => [one.id, one]));
    return [...this.#verdicts].flatMap(([id, verdict]): Loop[] => {
      const now = isOpenAfter(verdict) ? open.get(id) : verdict;
      if (now?.wasted === undefined || verdict.began === undefined) return [];
      const to = isOpenAfter(verdict) ? this.events.length - 1 : verdict.eventIndex;
      return [{ from: verdict.began.eventIndex, to, cost: now.cost, wasted: now.wasted }];
    });
  }

  get others(): PureVerdict[] {
    return [...this.#verdicts.values()].filter(({ kind }) => kind !== 'loop');
  }
}

const config = {
  preset: 'balanced',
  session: { idle_seconds: 1e9 },
  tool_call_limit: { max_turns: 12 },
  budget: { calls: 20 },
} as const;

/** Calls and reports of usage that any loop contains, each once, by a look at the events alone. */
function union(events: readonly AgentEvent[], loops: readonly Loop[]) {
  const calls = new Set<number>();
  const reports = new Set<number>();
  for (const { from, to, cost } of loops) {
    let own = 0;
    let turns = 0;
    for (let at = from; at <= to; at += 1) {
      // The turn that ended the loop is no part of it.
      if (events[at]?.type === 'turn_finished' && (turns += 1) <= cost.turns) reports.add(at);
      if (events[at]?.type !== 'tool_call_request' || own === cost.calls) continue;
      own += 1;
      calls.add(at);
    }
  }
  const used = [...reports].map((at) => events[at] as { usage: { inputTokens: number }; costUsd?: number });
  return {
    calls: calls.size,
    tokens: used.reduce((sum, { usage }) => sum + usage.inputTokens, 0),
    usd: used.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0),
    unpriced: used.some(({ costUsd }) => costUsd === undefined),
  };
}

describe('what overlapping loops wasted', () => {
  it('adds up to each call, token and dollar once, after every event', () => {
    let overlapping = 0;
    fc.assert(
      fc.property(loopingTurns, fc.nat(20), (turns, reloads) => {
        const session = new Watched();
        for (const [i, event] of eventsOf(turns).entries()) {
          session.push({ ...event, time: i * 1000 }, reloads > 0 && i % reloads === 0);
          const { loops, events, account } = session;
          const once = union(events, loops);
          const sum = (amount: 'calls' | 'tokens' | 'usd') =>
            loops.reduce((all, { wasted }) => all + (wasted[amount] ?? 0), 0);
          expect([sum('calls'), sum('tokens')]).toEqual([once.calls, once.tokens]);
          if (!once.unpriced) expect(sum('usd')).toBeCloseTo(once.usd, 6);
          expect(loops.some(({ wasted }) => wasted.usd === null)).toBe(once.unpriced);
          expect(sum('calls')).toBeLessThanOrEqual(account.toolCalls);
          const tokens = account.tokens;
          expect(sum('tokens')).toBeLessThanOrEqual(tokens === null ? 0 : tokens.input + tokens.output);
          if (loops.reduce((all, { cost }) => all + cost.calls, 0) > once.calls) overlapping += 1;
        }
        for (const verdict of session.others) expect(verdict.wasted).toBeUndefined();
      }),
      { seed: 11, numRuns: 40 },
    );
    expect(overlapping).toBeGreaterThan(50);
  });
});
