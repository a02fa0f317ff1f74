import * as z from 'zod';
import { MAX_TIME } from '../events/event.ts';
import { detectorIds } from '../verdicts/detectors.ts';
import { verdictActions } from '../verdicts/verdict.ts';
import { oneRequired } from './require-one.ts';

/* Mute rules. A rule applies to existing and future incidents, and changes no verdicts. */

const name = z.string().min(1).max(1024);

export const muteCauseSchema = z
  .strictObject({
    detector: z.enum(detectorIds).optional(),
    tool: name.optional().describe('Name of the tool.'),
    group: name.optional().describe('Group key of identical loops.'),
    agent: name.optional(),
    model: name.optional(),
    tenant: name.optional(),
  })
  .refine(({ detector, tool, group }) => [detector, tool, group].some((value) => value !== undefined), {
    message: 'requires at least one of detector, tool and group',
  })
  .meta(oneRequired('detector', 'tool', 'group'))
  .describe('An incident matches if all the values set here are equal.');

export type MuteCause = z.infer<typeof muteCauseSchema>;

/** The maximum of each value over a set of incidents. */
export const escalationBaselineSchema = z.object({
  action: z.enum(verdictActions),
  count: z.number().nonnegative(),
  tokens: z.number().nonnegative().nullable().describe('null if no producer reports usage.'),
});
export type EscalationBaseline = z.infer<typeof escalationBaselineSchema>;

export const muteSchema = z.object({
  id: z.string(),
  cause: muteCauseSchema,
  until: z.number().nullable().describe('When the mute expires, wall clock, epoch ms; null: never.'),
  escalation: escalationBaselineSchema
    .nullable()
    .describe(
      'Maximum values of the incidents that matched when the rule was created. The rule does not apply to an incident with a stronger action, or more than twice the count or tokens. null: it applies to all.',
    ),
  note: z.string().nullable(),
  by: z.string(),
  at: z.number().describe('Wall clock, epoch ms.'),
});
export type Mute = z.infer<typeof muteSchema>;

/** Body of `POST /mutes`. */
export const mutePostSchema = z.strictObject({
  cause: muteCauseSchema,
  until: z
    .number()
    .max(MAX_TIME)
    .nullable()
    .optional()
    .describe('When the mute expires, wall clock, epoch ms; absent or null: never.'),
  untilEscalates: z
    .boolean()
    .optional()
    .describe(
      'true: does not apply to incidents much worse than those that match now; requires a matching incident.',
    ),
  note: z.string().max(4000).nullable().optional(),
});
export type MutePost = z.infer<typeof mutePostSchema>;

export const muteItemSchema = muteSchema.extend({
  incidents: z.int().nonnegative().describe('Number of stored incidents that it currently mutes.'),
});
export type MuteItem = z.infer<typeof muteItemSchema>;

/** `GET /mutes`. */
export const mutesSchema = z.object({
  items: z.array(muteItemSchema).describe('Active mute rules, newest first.'),
});
export type Mutes = z.infer<typeof mutesSchema>;

/** A record of the `triage` topic with the key `mute:<id>`. */
export const muteRecordSchema = z.object({
  v: z.literal(1),
  mute: muteSchema,
  removed: z.boolean().describe('true: the rule was removed for good.'),
});
export type MuteRecord = z.infer<typeof muteRecordSchema>;
