import * as z from 'zod';
import { MAX_TIME, nameSchema } from '../events/event.ts';

/* `POST /decide`: whether a call may run. */

const name = nameSchema.min(1);
const parentSession = nameSchema
  .optional()
  .describe('Id of the session that started this one as a sub-agent.');

export const proposedCallSchema = z.strictObject({
  sessionId: name,
  name: name.describe('Name of the tool.'),
  args: z.unknown().optional().describe('Arguments of the call: an object, or JSON text.'),
  parentSession,
});

export const decisionSchema = z.object({
  action: z
    .enum(['allow', 'warn', 'deny', 'stop'])
    .describe(
      'warn: the call may run, but it repeats. deny: it continues a loop and must not run. stop: neither must any other; ' +
        'end the turn, because the loop was denied before, a limit is reached, or a person has stopped the session.',
    ),
  reason: z.string().nullable().describe('For people: what repeats, or who stopped the session.'),
  guidance: z.string().nullable().describe('For the model, instead of a result; null if the call may run.'),
  incidentId: z.string().nullable(),
  ask: z
    .literal(true)
    .optional()
    .describe(
      'With stop, if `on_budget` is ask: a budget or limit is spent. Ask your user whether the call may run, instead of ending the turn.',
    ),
});

/** Body of `POST /hooks/generic`, for agents and programs without a hook format of their own. */
export const genericHookSchema = z.strictObject({
  session: name.describe('Id of the session.'),
  event: z
    .enum(['before', 'after'])
    .describe('before: a call is about to run, and may be denied. after: it has run.'),
  tool: name.describe('Name of the tool.'),
  arguments: z
    .union([z.record(z.string(), z.unknown()), z.string()])
    .nullish()
    .describe('Arguments of the call: an object, or JSON text.'),
  result: z.unknown().optional().describe('With after: what the call returned, or its error.'),
  isError: z.boolean().optional().describe('With after: whether the call failed.'),
  agent: nameSchema.optional().describe('Name of the agent.'),
  callId: nameSchema
    .optional()
    .describe(
      'The same before and after; required for calls at the same time, and to report after without before.',
    ),
  parentSession,
  time: z.number().nonnegative().max(MAX_TIME).optional().describe('Epoch ms; default: now.'),
});

export const genericHookAnswerSchema = z.object({
  denied: z.boolean().describe('The call must not run; it is recorded as denied, so send no `after`.'),
  stop: z.boolean().describe('The turn should end as well.'),
  reason: z.string().nullable().describe('For people: what repeats.'),
  guidance: z
    .string()
    .nullable()
    .describe('For the model: instead of a result if denied, with the result if it completes a loop.'),
  incidentId: z.string().nullable(),
});

/** Agents whose hook format is supported. */
export const hookAgents = [
  'claude-code',
  'codex',
  'gemini',
  'copilot',
  'cursor',
  'opencode',
  'pi',
  'kimi',
  'grok',
  'hermes',
] as const;
export type HookAgent = (typeof hookAgents)[number];

/** Response of `POST` and `DELETE /sessions/:id/stop`. */
export const sessionStopSchema = z.object({
  stopped: z.boolean(),
  obeyedBy: z
    .enum(['hooks', 'gateway', 'guard'])
    .nullable()
    .describe('What will deny the next call of the agent; null: nothing that Loopwatch knows of.'),
});

export type ProposedCall = z.infer<typeof proposedCallSchema>;
export type Decision = z.infer<typeof decisionSchema>;
export type GenericHook = z.infer<typeof genericHookSchema>;
export type GenericHookAnswer = z.infer<typeof genericHookAnswerSchema>;
export type SessionStop = z.infer<typeof sessionStopSchema>;
