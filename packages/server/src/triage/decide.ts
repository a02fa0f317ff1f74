import {
  noTriage,
  type Triage,
  type TriageChange,
  type TriagePatch,
  type TriageState,
} from '@loopwatch/contract/api';
import { HttpProblem } from '../http/problem.ts';

/** A triage with how it came to be. */
export interface Decided {
  readonly triage: Triage;
  /** Oldest first. */
  readonly history: readonly TriageChange[];
}

const mostChanges = 50;

/**
 * What a patch makes of a triage; pure.
 *
 * @param by who asks for it
 * @param at wall clock, epoch ms
 * @returns undefined when it changes nothing
 * @throws HttpProblem 400 when the patch makes no sense, 409 when it was made on another revision
 */
export function decide(
  before: Decided | undefined,
  patch: TriagePatch,
  { by, at }: { readonly by: string; readonly at: number },
): Decided | undefined {
  const triage = before?.triage ?? noTriage;
  if (patch.revision !== undefined && patch.revision !== triage.revision) {
    throw new HttpProblem(
      409,
      `The triage is at revision ${String(triage.revision)} by now, changed by ${triage.by ?? 'an unknown user'}; this change was made on revision ${String(patch.revision)}. Read it again`,
      { current: triage },
    );
  }
  const from = stateOf(triage);
  const status = patch.status ?? from.status;
  if (status !== 'muted' && patch.mutedUntil != null) {
    const detail = 'only an incident whose status is muted is muted until a time';
    throw new HttpProblem(400, `mutedUntil: ${detail}`, { errors: [{ path: 'mutedUntil', detail }] });
  }
  const sameMute = status === from.status && patch.mutedUntil === undefined;
  const to: TriageState = {
    status,
    mutedUntil: status === 'muted' ? (sameMute ? from.mutedUntil : (patch.mutedUntil ?? null)) : null,
    note: patch.note === undefined ? from.note : patch.note || null,
  };
  if (to.status === from.status && to.mutedUntil === from.mutedUntil && to.note === from.note)
    return undefined;
  return {
    triage: { ...to, by, at, revision: triage.revision + 1 },
    history: [...(before?.history ?? []), { at, by, from, to }].slice(-mostChanges),
  };
}

function stateOf({ status, mutedUntil, note }: Triage): TriageState {
  return { status, mutedUntil, note };
}
