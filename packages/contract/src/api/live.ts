import * as z from 'zod';
import { incidentStatsSchema, liveHeartbeatSchema, serverInfoSchema } from '../verdicts/live.ts';
import { backtestJobSchema } from './backtests.ts';
import { incidentItemSchema } from './incidents.ts';
import { sessionItemSchema } from './sessions.ts';

/*
 * Messages of the Socket.IO namespace `/live`, from server to client; clients send none. A reconnecting client passes the
 * last `sequence` it has seen as `auth: {since}` of the handshake. It then gets the missed changes as `changes` instead of
 * a `snapshot`, unless there are too many.
 */

const sequence = z
  .int()
  .nonnegative()
  .describe('Number of the latest change included; later messages have higher numbers.');

export const snapshotMessageSchema = z.object({
  sequence,
  incidents: z.array(incidentItemSchema).describe('The latest incidents, newest first, at most 200.'),
  sessions: z.array(sessionItemSchema).describe('The most recently active sessions, at most 100.'),
  stats: incidentStatsSchema,
  info: serverInfoSchema,
});

/** Sent at most once per 100 ms. */
export const changesMessageSchema = z.object({
  sequence,
  incidents: z
    .array(incidentItemSchema)
    .describe('Incidents that are new or changed by verdicts or triage, each once.'),
  sessions: z.array(sessionItemSchema),
  settings: z.array(z.string()).describe('Scopes whose settings have changed.'),
  mutes: z.array(z.string()).default([]).describe('Mute rules that were created or removed.'),
  dropped: z
    .object({ incidents: z.int().nonnegative(), sessions: z.int().nonnegative() })
    .describe('Number of changes omitted because there were too many at once; reload lists to get them.'),
  stats: incidentStatsSchema
    .nullable()
    .describe('Sent at most once per second; null: unchanged, or to be sent later.'),
});

export const backtestMessageSchema = backtestJobSchema;
export const heartbeatMessageSchema = liveHeartbeatSchema.extend({
  log: z.enum(['up', 'down']).describe('Whether the server is connected to the event log.'),
  reason: z.string().nullable(),
});

export type SnapshotMessage = z.infer<typeof snapshotMessageSchema>;
export type ChangesMessage = z.infer<typeof changesMessageSchema>;
export type HeartbeatMessage = z.infer<typeof heartbeatMessageSchema>;

/** Listeners by message name, as Socket.IO types them. */
export interface LiveMessages {
  snapshot: (message: SnapshotMessage) => void;
  changes: (message: ChangesMessage) => void;
  backtest: (message: z.infer<typeof backtestMessageSchema>) => void;
  heartbeat: (message: HeartbeatMessage) => void;
}
