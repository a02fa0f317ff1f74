import { type AgentEvent, readEvidence } from '@loopwatch/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PureVerdict, SessionSnapshot } from '../../src/index.ts';
import { eventsOf, loopingTurns } from '../looping-turns.ts';
import { analyzer } from '../sessions.ts';

const config = {
  preset: 'balanced',
  tool_call_limit: { max_turns: 5 },
  turn_requests: { max_turn_requests: 6 },
  budget: { calls: 10, tokens: 100 },
} as const;

/** Runs a history and hands over each event with the session after it. */
function follow(
  events: readonly AgentEvent[],
  look: (at: {
    index: number;
    open: ReturnType<typeof analyzer>['openIncidentSummaries'];
    verdicts: Map<string, PureVerdict>;
  }) => void,
): void {
  let session = analyzer(config);
  const verdicts = new Map<string, PureVerdict>();
  for (const [index, event] of events.entries()) {
    if (index % 7 === 3) {
      const snapshot = JSON.parse(JSON.stringify(session.snapshot())) as SessionSnapshot;
      session = analyzer(config);
      session.restore(snapshot);
    }
    for (const verdict of session.push({ ...event, time: index * 1000 }).verdicts)
      verdicts.set(verdict.incidentId, verdict);
    look({ index, open: session.openIncidentSummaries, verdicts });
  }
}

describe('the evidence of a loop that goes on between two verdicts', () => {
  it('is of now: count, reason, latest call and place move together, and never exceed the events', () => {
    const moved = new Set<string>();
    fc.assert(
      fc.property(loopingTurns, (turns) => {
        const events = eventsOf(turns);
        const calls = events.flatMap(({ type }, i) => (type === 'tool_call_request' ? [i] : []));
        follow(events, ({ index, open, verdicts }) => {
          for (const { id, count, cost, latest } of open) {
            const verdict = verdicts.get(id)!;
            const { detector } = verdict;
            const made = calls.filter((at) => at <= index);
            expect(cost.calls).toBeLessThanOrEqual(made.length);
            if (latest === undefined) {
              // Nothing has been counted since the verdict.
              if (open.length <= 4) expect(count).toBe(verdict.count);
              continue;
            }
            moved.add(detector);
            expect(latest.eventIndex).toBeGreaterThan(verdict.eventIndex);
            expect(latest.eventIndex).toBeLessThanOrEqual(index);
            const { countAt } = latest;
            if (countAt !== undefined)
              expect(latest.reason.slice(countAt)).toMatch(new RegExp(`^${String(count)}\\b`));
            const evidence = readEvidence(detector, latest.evidence);
            expect(evidence).toBeDefined();
            if (evidence === undefined || !('calls' in evidence)) continue;
            const last = evidence.calls.at(-1)!;
            expect(last.eventIndex).toBeLessThanOrEqual(latest.eventIndex);
            // No call of a later response was counted.
            const later = made.filter((at) => at > last.eventIndex && at < latest.eventIndex);
            const isOther = (at: number) =>
              events.slice(last.eventIndex, at).some(({ type }) => type === 'turn_started');
            expect(later.filter(isOther)).toEqual([]);
            if (detector === 'tool-repeat' || detector === 'outage') expect(last.step).toBe(count);
          }
        });
      }),
      { seed: 3, numRuns: 30 },
    );
    expect([...moved].sort()).toEqual([
      'budget',
      'outage',
      'stagnation',
      'tool-cycle',
      'tool-limit',
      'tool-repeat',
      'turn-limit',
    ]);
  });
});
