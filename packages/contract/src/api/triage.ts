import * as z from 'zod';
import { MAX_TIME } from '../events/event.ts';
import { oneRequired } from './require-one.ts';

/* Triage of incidents by people. It belongs to the server: verdicts never change it. */

export const triageStatuses = ['new', 'acknowledged', 'muted', 'false_positive'] as const;
export type TriageStatus = (typeof triageStatuses)[number];

const status = z
  .enum(triageStatuses)
  .describe(
    'acknowledged: it is a loop, labelled `loop` in an eval set. false_positive: it is not, labelled `not_loop`. muted: hidden for now.',
  );
const untilText = 'When the mute expires and the status is new again, wall clock, epoch ms; null: never.';
const mutedUntil = z.number().nullable().describe(untilText);
const note = z.string().max(4000).nullable();
const assignee = z.string().trim().min(1).max(200).nullable();
const comment = z.string().trim().min(1).max(4000);

/** The state of a triage. */
export const triageStateSchema = z.object({
  status,
  mutedUntil,
  note,
  assignee: assignee.default(null).describe('Name of the assignee; null: unassigned.'),
});

export const triageSchema = triageStateSchema.extend({
  by: z.string().nullable().describe('Who made the latest change; null before the first.'),
  at: z.number().nullable().describe('Wall clock of the latest change, epoch ms.'),
  revision: z.int().nonnegative().describe('Increases with each change; 0 before the first.'),
});

export const triageChangeSchema = z.object({
  at: z.number(),
  by: z.string(),
  from: triageStateSchema,
  to: triageStateSchema.describe('Sending `from` as a PATCH undoes the change.'),
  revision: z.int().positive().optional().describe('Revision after the change.'),
  comment: comment.optional().describe('Comment on the change; a change can consist of a comment alone.'),
});

/** Body of `PATCH /incidents/:id`. Absent fields keep their value; a status other than `muted` clears `mutedUntil`. */
export const triagePatchSchema = z
  .strictObject({
    status: status.optional(),
    mutedUntil: z.number().max(MAX_TIME).nullable().optional().describe(untilText),
    note: note.optional(),
    assignee: assignee.optional(),
    comment: comment.optional().describe('Added to the history, where it stays if the change is undone.'),
    revision: z
      .int()
      .nonnegative()
      .optional()
      .describe('Expected current revision; 409 if it differs. Absent: not checked.'),
  })
  .refine(({ revision: _, ...change }) => Object.values(change).some((value) => value !== undefined), {
    message: 'requires at least one of status, mutedUntil, note, assignee and comment',
  })
  .meta(oneRequired('status', 'mutedUntil', 'note', 'assignee', 'comment'));

/** Body of `PATCH /incidents`: the same change to several incidents. */
export const triageManySchema = z.strictObject({
  ids: z.array(z.string().min(1)).min(1).max(500),
  change: triagePatchSchema,
});

/** A record of the `triage` topic, keyed by incident id: a triage with its history, from which a database can be rebuilt. */
export const triageRecordSchema = z.object({
  v: z.literal(1),
  incidentId: z.string(),
  triage: triageSchema,
  history: z
    .array(triageChangeSchema)
    .describe('The latest 50, oldest first; changes with a comment are kept longest.'),
});

export type Triage = z.infer<typeof triageSchema>;
export type TriageState = z.infer<typeof triageStateSchema>;
export type TriageChange = z.infer<typeof triageChangeSchema>;
export type TriagePatch = z.infer<typeof triagePatchSchema>;
export type TriageMany = z.infer<typeof triageManySchema>;
export type TriageRecord = z.infer<typeof triageRecordSchema>;

export const noTriage: Triage = {
  status: 'new',
  mutedUntil: null,
  note: null,
  assignee: null,
  by: null,
  at: null,
  revision: 0,
};

/**
 * The patch that undoes another one. It only contains the fields that the patch changed, because other users may have
 * changed the rest since.
 *
 * @param before the state before the patch
 * @returns an empty patch if only a comment was added
 */
export function undoPatch(before: TriageState, undone: TriagePatch): TriagePatch {
  const { status, mutedUntil, note, assignee } = before;
  return {
    ...((undone.status !== undefined || undone.mutedUntil !== undefined) && { status, mutedUntil }),
    ...(undone.note !== undefined && { note }),
    ...(undone.assignee !== undefined && { assignee }),
  };
}
