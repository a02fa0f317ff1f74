import { isDeepStrictEqual } from 'node:util';
import {
  noTriage,
  type Triage,
  type TriageChange,
  type TriagePatch,
  type TriageState,
} from '@loopwatch/contract/api';
import { badRequest, HttpProblem } from '../http/problem.ts';

/** A triage and its history. */
export interface TriageWithHistory {
  readonly triage: Triage;
  /** Oldest first. */
  readonly history: readonly TriageChange[];
}

// Keeps a record of the triage topic below the default limit of brokers.
const MAX_CHANGES = 50;
const MAX_COMMENTS = 40;

/**
 * Applies a patch to a triage; pure.
 *
 * @param by the user's name
 * @param at wall clock, epoch ms
 * @returns undefined when nothing changes
 * @throws HttpProblem 400 for an inconsistent patch, 409 for another revision, or too many comments
 */
export function applyPatch(
  before: TriageWithHistory | undefined,
  patch: TriagePatch,
  { by, at }: { readonly by: string; readonly at: number },
): TriageWithHistory | undefined {
  const triage = before?.triage ?? noTriage;
  if (patch.revision !== undefined && patch.revision !== triage.revision) {
    throw new HttpProblem(
      409,
      `The triage was changed to revision ${String(triage.revision)} by ${triage.by ?? 'an unknown user'}; this change is based on revision ${String(patch.revision)}. Reload and retry`,
      { current: triage },
    );
  }
  const from = stateOf(triage);
  const status = patch.status ?? from.status;
  if (status !== 'muted' && patch.mutedUntil != null) {
    const detail = 'is only allowed with status muted';
    throw badRequest({ path: 'mutedUntil', detail });
  }
  // An undo restores a mute that may have expired since.
  const isRestored = before?.history.some((change) => change.from.mutedUntil === patch.mutedUntil) === true;
  if (patch.mutedUntil != null && patch.mutedUntil <= at && !isRestored)
    throw badRequest({ path: 'mutedUntil', detail: 'is in the past' });
  const sameMute = status === from.status && patch.mutedUntil === undefined;
  const to: TriageState = {
    status,
    mutedUntil: status === 'muted' ? (sameMute ? from.mutedUntil : (patch.mutedUntil ?? null)) : null,
    note: patch.note === undefined ? from.note : patch.note || null,
    assignee: patch.assignee === undefined ? from.assignee : patch.assignee,
  };
  const { comment } = patch;
  if (comment === undefined && isDeepStrictEqual(from, to)) return undefined;
  const history = before?.history ?? [];
  if (comment !== undefined && history.filter(hasComment).length >= MAX_COMMENTS)
    throw new HttpProblem(409, `The incident already has ${String(MAX_COMMENTS)} comments; delete one first`);
  const revision = triage.revision + 1;
  const change = { at, by, from, to, revision, ...(comment !== undefined && { comment }) };
  return {
    triage: { ...to, by, at, revision },
    history: newest([...history, change]),
  };
}

/**
 * Removes a comment from the history, together with its change if that changed nothing else.
 *
 * @param revision of the change that the comment belongs to
 * @throws HttpProblem 404 for an unknown comment, 403 for another user's
 */
export function withoutComment(
  before: TriageWithHistory | undefined,
  revision: string,
  { by, at }: { readonly by: string; readonly at: number },
): TriageWithHistory {
  const found = before?.history.find((change) => String(change.revision) === revision);
  if (before === undefined || found?.comment === undefined)
    throw new HttpProblem(404, `Comment ${revision} not found; it may have been deleted`);
  if (found.by !== by)
    throw new HttpProblem(403, `Only the author of the comment, ${found.by}, may delete it`);
  const { comment: _, ...change } = found;
  const rest = isDeepStrictEqual(found.from, found.to) ? [] : [change];
  return {
    triage: { ...before.triage, by, at, revision: before.triage.revision + 1 },
    history: before.history.flatMap((one) => (one === found ? rest : [one])),
  };
}

/** Keeps all comments, and drops the oldest of the other changes. */
function newest(history: readonly TriageChange[]): TriageChange[] {
  const others = history.filter((change) => !hasComment(change));
  const tooMany = new Set(others.slice(0, Math.max(0, history.length - MAX_CHANGES)));
  return history.filter((change) => !tooMany.has(change));
}

function hasComment({ comment }: TriageChange): boolean {
  return comment !== undefined;
}

function stateOf({ status, mutedUntil, note, assignee }: Triage): TriageState {
  return { status, mutedUntil, note, assignee };
}
