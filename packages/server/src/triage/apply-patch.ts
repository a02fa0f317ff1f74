import { isDeepStrictEqual } from 'node:util';
import {
  noTriage,
  type Triage,
  type TriageChange,
  type TriagePatch,
  type TriageState,
} from '@loopwatch/contract/api';
import { badRequest, HttpProblem } from '../http/problem.ts';

/** A triage with how it came to be. */
export interface TriageWithHistory {
  readonly triage: Triage;
  /** Oldest first. */
  readonly history: readonly TriageChange[];
}

// So that a record of the triage topic stays below what brokers take by default.
const MAX_CHANGES = 50;
const MAX_COMMENTS = 40;

/**
 * What a patch makes of a triage; pure.
 *
 * @param by who asks for it
 * @param at wall clock, epoch ms
 * @returns undefined when it changes nothing
 * @throws HttpProblem 400 when the patch makes no sense, 409 when it was made on another revision, or there are too many comments
 */
export function decide(
  before: TriageWithHistory | undefined,
  patch: TriagePatch,
  { by, at }: { readonly by: string; readonly at: number },
): TriageWithHistory | undefined {
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
    throw badRequest({ path: 'mutedUntil', detail });
  }
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
    throw new HttpProblem(409, `An incident has at most ${String(MAX_COMMENTS)} comments; delete one first`);
  const revision = triage.revision + 1;
  const change = { at, by, from, to, revision, ...(comment !== undefined && { comment }) };
  return {
    triage: { ...to, by, at, revision },
    history: newest([...history, change]),
  };
}

/**
 * Takes a comment out of the history; a change that was nothing else goes with it.
 *
 * @param revision of the change that it was made with
 * @throws HttpProblem 404 when there is no such comment, 403 when somebody else wrote it
 */
export function withoutComment(
  before: TriageWithHistory | undefined,
  revision: number,
  { by, at }: { readonly by: string; readonly at: number },
): TriageWithHistory {
  const found = before?.history.find((change) => change.revision === revision);
  if (before === undefined || found?.comment === undefined)
    throw new HttpProblem(404, `There is no comment ${String(revision)}; it may have been deleted already`);
  if (found.by !== by) throw new HttpProblem(403, `The comment is by ${found.by}, who alone may delete it`);
  const { comment: _, ...change } = found;
  const rest = isDeepStrictEqual(found.from, found.to) ? [] : [change];
  return {
    triage: { ...before.triage, by, at, revision: before.triage.revision + 1 },
    history: before.history.flatMap((one) => (one === found ? rest : [one])),
  };
}

/** What people wrote stays; of the other changes the oldest go. */
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
