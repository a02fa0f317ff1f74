import { detectorIds, readJson, verdictSchema } from '@loopwatch/contract';
import { snapshotVersion } from '@loopwatch/detectors';
import type { StateChange } from '@loopwatch/log';
import type { KeptSession } from '@loopwatch/pipeline';
import { z } from 'zod';
import type { OpenIncident } from './incident-book.ts';

const prefix = 'session/';

const entrySchema = z.object({
  v: z.literal(1),
  /** Hash of the settings by which the session was analyzed. */
  settings: z.string(),
  coveredTo: z.number().int().nonnegative(),
  incidents: z.array(
    z.object({
      id: z.string(),
      detector: verdictSchema.shape.detector,
      action: verdictSchema.shape.action,
      calls: z.number(),
      tokens: z.number(),
      usd: z.number().default(0),
      agent: z.string().nullable().default(null),
      model: z.string().nullable().default(null),
      since: z.number().nullable().default(null),
    }),
  ),
  marks: z.object({
    firstOffset: z.number().int(),
    startedAt: z.number(),
    toldAt: z.number().nullable(),
    tally: z
      .object({
        verdicts: z.number(),
        opened: z.partialRecord(z.enum(detectorIds), z.number()),
        checks: z.array(z.string()),
        course: z.array(z.number()).default([]),
      })
      .optional(),
  }),
  snapshot: z.custom<KeptSession['snapshot']>(
    (value) => typeof value === 'object' && value !== null && 'v' in value && value.v === snapshotVersion,
  ),
});

/** A session as it is kept, with what the metrics know of its open incidents. */
export interface KeptEntry extends KeptSession {
  readonly settings: string;
  readonly incidents: readonly OpenIncident[];
}

/** The entry of a session in the kept state. */
export function keepSession({ sessionId, ...rest }: KeptEntry): StateChange {
  return { key: prefix + sessionId, value: JSON.stringify({ v: 1, ...rest }) };
}

/** Takes the entry of a session away. */
export function forgetSession(sessionId: string): StateChange {
  return { key: prefix + sessionId, value: null };
}

/** @returns `undefined` for an entry of another kind or version: what it knows has to be found out again */
export function readKept({
  key,
  value,
}: {
  readonly key: string;
  readonly value: string;
}): KeptEntry | undefined {
  if (!key.startsWith(prefix)) return undefined;
  const entry = readJson(value, entrySchema);
  if (!entry.ok) return undefined;
  const { settings, coveredTo, incidents, marks, snapshot } = entry.value;
  const sessionId = key.slice(prefix.length);
  return { sessionId, settings, coveredTo, incidents, marks: { tally: undefined, ...marks }, snapshot };
}
