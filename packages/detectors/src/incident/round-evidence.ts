import type { EvidenceOf } from '@loopwatch/contract';
import type { Round } from '../calls/call-history.ts';
import { signature } from '../calls/tool-identity.ts';
import { firstAndLatest, SHOWN_CALLS, shownCall } from './shown-calls.ts';

/** Calls of one step that the evidence shows; a step that has more shows its first. */
const SHOWN_MEMBERS = 6;
/** With its own first step and its latest, so many calls are shown of steps with several. */
const SHOWN_OF_BATCHES = 12;

/** What the evidence of every detector of calls says of its rounds. */
export type RoundEvidence = Pick<EvidenceOf<'outage'>, 'calls' | 'callsPerStep'>;

/**
 * The calls of the rounds with their results, as evidence: whole steps, the first and the latest.
 *
 * @param total steps of the loop, those included that are no longer remembered
 */
export function roundEvidence(rounds: readonly Round[], total: number): RoundEvidence {
  const callsPerStep = rounds.at(-1)?.calls.length ?? 0;
  const widest = Math.min(SHOWN_MEMBERS, Math.max(1, ...rounds.map(({ calls }) => calls.length)));
  const most = widest === 1 ? SHOWN_CALLS : Math.max(2, Math.floor(SHOWN_OF_BATCHES / widest));
  const numbered = rounds.map((round, i) => ({
    round,
    step: Math.max(0, total - rounds.length) + i + 1,
  }));
  const calls = firstAndLatest(numbered, most).flatMap(({ round, step }) =>
    round.calls.slice(0, SHOWN_MEMBERS).map(({ identity, mark, result }, i) => ({
      ...shownCall(mark, identity.name, identity.arguments, step),
      ...(round.calls.length > 1 && { member: i + 1 }),
      ...(result !== null && { result: { text: result.shown, kind: result.kind } }),
    })),
  );
  return { calls, ...(callsPerStep > 1 && { callsPerStep }) };
}

/** The tool that a verdict names: that of the round's first call. */
export function toolOf({ calls }: Round): { name: string; signature: string } | null {
  const identity = calls[0]?.identity;
  return identity === undefined ? null : { name: identity.name, signature: signature(identity) };
}

/** `read_file`, or `read_file and grep` where a round has several. */
export function namesOf({ calls }: Round): string {
  const names = [...new Set(calls.map(({ identity }) => identity.name))];
  if (names.length <= 2) return names.join(' and ');
  return `${names.slice(0, 2).join(', ')} and ${String(names.length - 2)} more`;
}
