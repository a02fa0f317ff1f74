import {
  type AgentEvent,
  type DetectionInput,
  type OpenIncidentSummary,
  readEvidence,
} from '@loopwatch/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PureVerdict, SessionSnapshot } from '../../src/index.ts';
import { openIncidentSummaries } from '../../src/internal.ts';
import { shown } from '../evidence.ts';
import { eventsOf, loopingTurns } from '../looping-turns.ts';
import { analyzer, text } from '../sessions.ts';
import { degenerateTexts } from '../text/degenerate-texts.ts';

const config = {
  preset: 'balanced',
  tool_call_limit: { max_turns: 5 },
  turn_requests: { max_turn_requests: 6 },
  budget: { calls: 10, tokens: 100 },
} as const;

function reload(session: ReturnType<typeof analyzer>, settings: DetectionInput) {
  const restored = analyzer(settings);
  restored.restore(JSON.parse(JSON.stringify(session.snapshot())) as SessionSnapshot);
  return restored;
}

/** Runs a history and hands over each event with the session after it. */
function follow(
  events: readonly AgentEvent[],
  look: (at: { index: number; open: OpenIncidentSummary[]; verdicts: Map<string, PureVerdict> }) => void,
): void {
  let session = analyzer(config);
  const verdicts = new Map<string, PureVerdict>();
  for (const [index, event] of events.entries()) {
    if (index % 7 === 3) session = reload(session, config);
    for (const verdict of session.push({ ...event, time: index * 1000 }).verdicts)
      verdicts.set(verdict.incidentId, verdict);
    look({ index, open: openIncidentSummaries(session.state), verdicts });
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

describe('the evidence of a text that goes on repeating', () => {
  it('quotes the sentence from its beginning, wherever the text ends', () => {
    const reasons = new Set<string>();
    const events = Array.from({ length: 60 }, () => text('I will now read the file again to be sure. '));
    follow(events, ({ open }) => {
      for (const { latest } of open)
        if (latest !== undefined) reasons.add(latest.reason.split(' appears')[0]!);
    });
    expect([...reasons]).toEqual(['“I will now read the file again to be sure.”']);
  });

  const texts = degenerateTexts.flatMap(({ name, text: said }) =>
    (['balanced', 'stream'] as const).map((preset) => ({ name, said, preset })),
  );

  it('is of now and lies where the session says between two verdicts', () => {
    const moved = new Set<string>();
    for (const { name, said, preset } of texts) {
      const whole = `${said} And then something else follows, in words that are new.`;
      const verdicts = new Map<string, PureVerdict>();
      let session = analyzer({ preset });
      for (let read = 0; read < whole.length; read += 37) {
        const part = whole.slice(read, read + 37);
        for (const verdict of session.push({ ...text(part), time: read }).verdicts)
          verdicts.set(verdict.incidentId, verdict);
        const open = openIncidentSummaries(session.state);
        if (read % (37 * 16) === 0) session = reload(session, { preset });
        expect(openIncidentSummaries(session.state).map(({ count }) => count)).toEqual(
          open.map(({ count }) => count),
        );
        for (const { id, count, latest } of open) {
          const verdict = verdicts.get(id)!;
          if (latest === undefined) {
            // Nothing has been counted since the verdict.
            expect(count, name).toBe(verdict.count);
            continue;
          }
          moved.add(preset);
          expect(latest.reason.slice(latest.countAt), name).toMatch(new RegExp(`^${String(count)}\\b`));
          const evidence = readEvidence('content-repeat', latest.evidence)!;
          const { at, positions = [], excerpt, window } = evidence;
          expect(at, name).toBeGreaterThan(Number(shown(verdict, 'at')));
          expect(at, name).toBeLessThan(read + part.length);
          expect(positions, name).toEqual(positions.toSorted((a, b) => a - b));
          expect(positions.length, name).toBeLessThanOrEqual(count);
          const quoted = excerpt?.text.replace(/…$/, '') ?? '';
          expect(whole.slice(excerpt?.from, at + 1).startsWith(quoted), name).toBe(true);
          expect(quoted.length, name).toBeGreaterThan(100);
          expect(whole.slice(0, at + 1).endsWith(window?.text ?? '?'), name).toBe(true);
        }
      }
    }
    expect([...moved].sort()).toEqual(['balanced', 'stream']);
  });
});
