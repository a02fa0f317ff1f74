import { z } from 'zod';
import { nameSchema } from '../events/event.ts';

/* `POST /decide`: whether a call may run. */

const name = nameSchema.min(1);

export const proposedCallSchema = z.strictObject({
  sessionId: name,
  name: name.describe('Name of the tool.'),
  args: z.unknown().optional().describe('Arguments of the call: an object, or JSON text.'),
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
});

/** Agents whose hook format is supported. */
export const hookAgents = ['claude-code', 'codex', 'gemini'] as const;
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
export type SessionStop = z.infer<typeof sessionStopSchema>;
