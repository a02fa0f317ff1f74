import { callDetectors, strongerAction } from '@loopwatch/contract';
import { OpenVerdicts } from '../incident/open-verdicts.ts';
import type { PureVerdict } from '../incident/verdict.ts';
import { guidanceOf, stopMessage } from '../plan/stop-message.ts';
import { ALLOWED, type Decision, type Foresight, type ProposedCall } from './decision.ts';
import type { SessionAnalyzer } from './session-analyzer.ts';

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
  const after = new OpenVerdicts();
  for (const verdicts of [standing, foresight.atCall, foresight.asBefore]) after.note(verdicts);
  const found = [
    ...standing.filter((verdict) => concerns(verdict, call, foresight)),
    ...foresight.atCall.filter(({ kind }) => kind !== 'outage'),
  ].filter(({ incidentId }) => after.isOpen(incidentId));
  if (found.length === 0) return ALLOWED;
  const strongest = found.reduce((a, b) => (strongerAction(a.action, b.action) === a.action ? a : b));
  return decisionBy(strongest, analyzer, call);
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
    action === 'block' ? stopMessage(verdict, analyzer.currentPlan, name) : guidanceOf(verdict);
  return { action: 'deny', reason, guidance, incidentId };
}
