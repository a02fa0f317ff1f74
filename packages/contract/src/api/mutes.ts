import { z } from 'zod';
import { detectorIds } from '../verdicts/detectors.ts';
import { verdictActions } from '../verdicts/verdict.ts';

/** A mute by cause: it holds for the incidents that are there and for those to come, and changes no verdict. */

const name = z.string().min(1).max(1024);

export const muteCauseSchema = z
  .strictObject({
    detector: z.enum(detectorIds).optional(),
    tool: name.optional().describe('Name of the tool.'),
    group: name.optional().describe('Group key: identical loops.'),
    agent: name.optional(),
    model: name.optional(),
    tenant: name.optional(),
  })
  .refine(({ detector, tool, group }) => [detector, tool, group].some((value) => value !== undefined), {
    message: 'say at least one of detector, tool and group',
  })
  .describe('An incident fits when all that is named here is the same.');

export type MuteCause = z.infer<typeof muteCauseSchema>;

/** The worst of some incidents, each number by itself. */
export const worstSchema = z.object({
  action: z.enum(verdictActions),
  count: z.number().nonnegative(),
  tokens: z.number().nonnegative().nullable().describe('null where none reports any.'),
});
export type Worst = z.infer<typeof worstSchema>;

export const muteSchema = z.object({
  id: z.string(),
  cause: muteCauseSchema,
  until: z.number().nullable().describe('Wall clock, epoch ms, when it is over; null: never.'),
  escalation: worstSchema
    .nullable()
    .describe(
      'The worst of the incidents that fitted when it was made. It does not hold for an incident with a stronger action, or more than twice the count or tokens. null: it holds for any.',
    ),
  note: z.string().nullable(),
  by: z.string(),
  at: z.number().describe('Wall clock, epoch ms.'),
});
export type Mute = z.infer<typeof muteSchema>;

/** Body of `POST /mutes`. */
export const mutePostSchema = z.strictObject({
  cause: muteCauseSchema,
  until: z.number().nullable().optional().describe('Wall clock, epoch ms; absent or null: for ever.'),
  untilEscalates: z
    .boolean()
    .optional()
    .describe('It does not hold for incidents much worse than those that fit now; needs one that fits.'),
  note: z.string().max(4000).nullable().optional(),
});
export type MutePost = z.infer<typeof mutePostSchema>;

export const muteItemSchema = muteSchema.extend({
  incidents: z.int().nonnegative().describe('Stored incidents that it mutes now.'),
});
export type MuteItem = z.infer<typeof muteItemSchema>;

/** `GET /mutes`. */
export const mutesSchema = z.object({
  items: z.array(muteItemSchema).describe('Those that hold, newest first.'),
});
export type Mutes = z.infer<typeof mutesSchema>;

/** A record of the `triage` topic, key `mute:` and its id. */
export const muteRecordSchema = z.object({
  v: z.literal(1),
  mute: muteSchema,
  removed: z.boolean().describe('true: it was removed; final.'),
});
export type MuteRecord = z.infer<typeof muteRecordSchema>;
