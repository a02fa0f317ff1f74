import { type AgentEvent, isOpenAfter, ruleOf, strongerAction } from '@loopwatch/contract';
import type { BacktestHit } from '@loopwatch/contract/api';
import { createSessionAnalyzer } from '@loopwatch/detectors';
import { type ModelValues, toConfigWith, type Values } from './config.ts';

/** A session with its events from the log. */
export interface Recording {
  readonly sessionId: string;
  readonly events: readonly AgentEvent[];
}

/**
 * The incidents that would open in a session with these settings. The semantic layer does not run here.
 *
 * @throws TypeError if the settings are invalid
 */
export function analyze({ events }: Recording, values: Values, models: ModelValues = {}): BacktestHit[] {
  const analyzer = createSessionAnalyzer(toConfigWith(values, models));
  const hits = new Map<string, BacktestHit>();
  for (const event of events) {
    for (const verdict of analyzer.push(event)) {
      if (!isOpenAfter(verdict)) continue;
      const { incidentId, detector, eventIndex, count, action, reason, evidence } = verdict;
      const known = hits.get(incidentId);
      hits.set(incidentId, {
        detector,
        rule: ruleOf(evidence),
        eventIndex: known?.eventIndex ?? eventIndex,
        count,
        action: strongerAction(known?.action ?? 'none', action),
        reason,
      });
    }
  }
  return [...hits.values()];
}
