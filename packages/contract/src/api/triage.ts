import { z } from 'zod';

/** What people say of an incident. It is the server's, not detection's: a verdict never changes it. */

export const triageStatuses = ['new', 'acknowledged', 'muted', 'false_positive'] as const;
export type TriageStatus = (typeof triageStatuses)[number];

const status = z
  .enum(triageStatuses)
  .describe(
    'acknowledged: it is a loop, label `loop` of an eval set. false_positive: it is none, label `not_loop`. muted: not now.',
  );
const mutedUntil = z
  .number()
  .nullable()
  .describe('Of a muted one: wall clock, epoch ms, when it counts as new again; null: never.');
const note = z.string().max(4000).nullable();
const assignee = z.string().trim().min(1).max(200).nullable();
const comment = z.string().trim().min(1).max(4000);

/** A triage as it stands at a moment. */
export const triageStateSchema = z.object({
  status,
  mutedUntil,
  note,
  assignee: assignee.default(null).describe('Who looks after it, by name; null: nobody.'),
});

export const triageSchema = triageStateSchema.extend({
  by: z.string().nullable().describe('Who changed it last; null before the first change.'),
  at: z.number().nullable().describe('When, wall clock, epoch ms.'),
  revision: z.int().nonnegative().describe('Grows with each change; 0 before the first.'),
});

export const triageChangeSchema = z.object({
  at: z.number(),
  by: z.string(),
  from: triageStateSchema,
  to: triageStateSchema.describe('Handing `from` back as a PATCH undoes the change.'),
  revision: z.int().positive().optional().describe('The revision that the change made.'),
  comment: comment.optional().describe('What was said with the change; a change may be a comment alone.'),
});

/** Body of `PATCH /incidents/:id`. What is left out stays; a status other than `muted` clears `mutedUntil`. */
export const triagePatchSchema = z
  .strictObject({
    status: status.optional(),
    mutedUntil: mutedUntil.optional(),
    note: note.optional(),
    assignee: assignee.optional(),
    comment: comment.optional().describe('Goes into the history, and stays there when the change is undone.'),
    revision: z
      .int()
      .nonnegative()
      .optional()
      .describe('The revision the change was made on: 409 if it is another by now. Absent: whatever it is.'),
  })
  .refine(({ revision: _, ...change }) => Object.values(change).some((value) => value !== undefined), {
    message: 'say at least one of status, mutedUntil, note, assignee and comment',
  });

/** Body of `PATCH /incidents`: the same change for several incidents at once. */
export const triageManySchema = z.strictObject({
  ids: z.array(z.string().min(1)).min(1).max(500),
  change: triagePatchSchema,
});

/** A record of the `triage` topic, key = incident id: a triage with its history, so that a database can be built again. */
export const triageRecordSchema = z.object({
  v: z.literal(1),
  incidentId: z.string(),
  triage: triageSchema,
  history: z
    .array(triageChangeSchema)
    .describe('Oldest first, the latest 50; those with a comment are kept longest.'),
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
 * What takes a patch back. It leaves alone what the patch did not change, as somebody else may have changed that since.
 *
 * @returns without any key for a patch that was a comment alone
 */
export function undoPatch(
  { status, mutedUntil, note, assignee }: TriageState,
  undone: TriagePatch,
): TriagePatch {
  return {
    ...((undone.status !== undefined || undone.mutedUntil !== undefined) && { status, mutedUntil }),
    ...(undone.note !== undefined && { note }),
    ...(undone.assignee !== undefined && { assignee }),
  };
}
