import { z } from 'zod';
import { incidentStatsSchema, liveHeartbeatSchema, serverInfoSchema } from '../verdicts/live.ts';
import { backtestJobSchema } from './backtests.ts';
import { incidentItemSchema } from './incidents.ts';
import { sessionItemSchema } from './sessions.ts';

/**
 * Messages of the Socket.IO namespace `/live`, server to client; clients send none. A client that comes back hands in the
 * last `sequence` it has seen as `auth: {since}` of the handshake: it then gets a `changes` with what it missed in place
 * of a `snapshot`, unless that is too much.
 */

const sequence = z
  .int()
  .nonnegative()
  .describe('Number of the latest change in it; what comes next is higher.');

export const snapshotMessageSchema = z.object({
  sequence,
  incidents: z.array(incidentItemSchema).describe('The newest, newest first, at most 200.'),
  sessions: z.array(sessionItemSchema).describe('Those with the latest events, at most 100.'),
  stats: incidentStatsSchema,
  info: serverInfoSchema,
});

/** At most one in 100 ms. */
export const changesMessageSchema = z.object({
  sequence,
  incidents: z.array(incidentItemSchema).describe('New or changed, by verdict or by triage, each once.'),
  sessions: z.array(sessionItemSchema),
  settings: z.array(z.string()).describe('Scopes whose settings are others now.'),
  mutes: z.array(z.string()).default([]).describe('Mutes that were made or removed.'),
  dropped: z
    .object({ incidents: z.int().nonnegative(), sessions: z.int().nonnegative() })
    .describe('Changes left out because there were too many at once; lists have them.'),
  stats: incidentStatsSchema.nullable().describe('null: unchanged, or told shortly; at most one a second.'),
});

export const backtestMessageSchema = backtestJobSchema;
export const heartbeatMessageSchema = liveHeartbeatSchema.extend({
  log: z.enum(['up', 'down']).describe('The link between the server and the event log.'),
  reason: z.string().nullable(),
});

export type SnapshotMessage = z.infer<typeof snapshotMessageSchema>;
export type ChangesMessage = z.infer<typeof changesMessageSchema>;
export type HeartbeatMessage = z.infer<typeof heartbeatMessageSchema>;

/** By name of the message. */
export interface LiveMessages {
  snapshot: (message: SnapshotMessage) => void;
  changes: (message: ChangesMessage) => void;
  backtest: (message: z.infer<typeof backtestMessageSchema>) => void;
  heartbeat: (message: HeartbeatMessage) => void;
}
