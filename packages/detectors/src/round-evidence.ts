import type { Round } from './call-history.ts';
import { firstAndLatest, shownCall } from './shown-calls.ts';
import { signature } from './tool-identity.ts';

/** The calls of the rounds with their results, as evidence. */
export function roundEvidence(rounds: readonly Round[]): Record<string, unknown>[] {
  const calls = rounds.flatMap((round) => round.calls);
  return firstAndLatest(calls).map(({ identity, mark, result }) => ({
    ...shownCall(mark, identity.name, identity.arguments),
    ...(result !== null && { result: { text: result.shown, kind: result.kind } }),
  }));
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
