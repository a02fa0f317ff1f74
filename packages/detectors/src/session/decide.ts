import { callDetectors, type VerdictAction } from '@loopwatch/contract';
import type { PureVerdict } from '../incident/verdict.ts';
import { plainGuidance, stopMessage } from '../plan/stop-message.ts';
import { ALLOWED, type Decision, type Foresight, type ProposedCall } from './decision.ts';
import type { SessionAnalyzer } from './session-analyzer.ts';

const rank: Readonly<Record<VerdictAction, number>> = { none: 0, warn: 1, chance: 2, block: 3 };

/**
 * What would happen at a call, asked before it runs. It is denied where it goes on with a loop that is open, or reaches a
 * limit; a call that takes another way is allowed, and so is one of which that cannot be known before its result.
 *
 * @param open last verdicts of the session's open incidents
 * @param time event time, epoch ms
 */
export function decide(
  analyzer: SessionAnalyzer,
  open: readonly PureVerdict[],
  call: ProposedCall,
  time?: number,
): Decision {
  const foresight = analyzer.foresee(call, time);
  const standing = foresight.restarts ? [] : open;
  const after = new Map(standing.map((verdict) => [verdict.incidentId, verdict]));
  for (const verdict of [...foresight.atCall, ...foresight.asBefore]) after.set(verdict.incidentId, verdict);
  const isOpen = ({ incidentId }: PureVerdict) => after.get(incidentId)?.phase !== 'resolved';
  const found = [
    ...standing.filter((verdict) => isOpen(verdict) && concerns(verdict, call, foresight)),
    ...foresight.atCall.filter((verdict) => isOpen(verdict) && verdict.kind !== 'outage'),
  ];
  const [strongest] = found.toSorted((a, b) => rank[b.action] - rank[a.action]);
  return strongest === undefined ? ALLOWED : decisionBy(strongest, analyzer, call);
}

/** Whether an open incident that the call does not end is about this call. */
function concerns({ kind, detector, action, tool }: PureVerdict, call: ProposedCall, { isKnown }: Foresight) {
  if (kind === 'limit') return true;
  if (!callDetectors.has(detector)) return false;
  // A blocked tool stays blocked until another one has brought something new.
  if (detector === 'stagnation' && action === 'block' && tool?.name === call.name) return true;
  return isKnown !== false;
}

function decisionBy(verdict: PureVerdict, analyzer: SessionAnalyzer, { name }: ProposedCall): Decision {
  const { action, reason, incidentId } = verdict;
  if (action === 'warn') return { action: 'warn', reason, guidance: null, incidentId };
  const guidance =
    action === 'block'
      ? stopMessage(verdict, analyzer.currentPlan, name)
      : (verdict.guidance ?? plainGuidance(verdict));
  return { action: 'deny', reason, guidance, incidentId };
}
