import { z } from 'zod';
import { MAX_NAME_UNITS } from '../events/event.ts';

/** `POST /decide`: what would happen at a call, asked before it runs. */

const name = z.string().min(1).max(MAX_NAME_UNITS);

export const proposedCallSchema = z.strictObject({
  sessionId: name,
  name: name.describe('Name of the tool.'),
  args: z.unknown().optional().describe('Arguments of the call: an object, or JSON text.'),
});

export const decisionSchema = z.object({
  action: z
    .enum(['allow', 'warn', 'deny'])
    .describe(
      'warn: it may run, but repeats; deny: it goes on with a loop, is over a limit, or the session is stopped.',
    ),
  reason: z.string().nullable().describe('For people: what repeats, or who stopped the session.'),
  guidance: z.string().nullable().describe('For the model, in place of a result; null unless denied.'),
  incidentId: z.string().nullable(),
});

/** Agents whose hooks are answered in their own format. */
export const hookAgents = ['claude-code', 'codex', 'gemini'] as const;
export type HookAgent = (typeof hookAgents)[number];

/** Answer of `POST` and `DELETE /sessions/:id/stop`. */
export const sessionStopSchema = z.object({
  stopped: z.boolean(),
  obeyedBy: z
    .enum(['hooks', 'gateway', 'guard'])
    .nullable()
    .describe('What will hold the agent up at its next call; null: nothing that Loopwatch knows of.'),
});

export type ProposedCall = z.infer<typeof proposedCallSchema>;
export type Decision = z.infer<typeof decisionSchema>;
export type SessionStop = z.infer<typeof sessionStopSchema>;
