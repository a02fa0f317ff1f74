import { crc32 } from 'node:zlib';
import {
  type DetectionSettings,
  detectionSchema,
  detectorIds,
  readJson,
  verdictSchema,
} from '@loopwatch/contract';
import { type SettingsVersion, SNAPSHOT_VERSION } from '@loopwatch/detectors/internal';
import type { StateChange } from '@loopwatch/log';
import * as z from 'zod';
import type { OpenIncident } from '../report/incident-metrics.ts';
import type { StoredSession } from '../sessions/entry.ts';

/**
 * What a partition stores in addition to the log so that its next owner can continue: settings history and session
 * snapshots.
 */

/** An entry of the stored state. */
export interface StateEntry {
  readonly key: string;
  readonly value: string;
}

/** Increase when this version must not read what an earlier one has stored, or the other way around. */
export const STATE_FORMAT = SNAPSHOT_VERSION;

const SESSION_PREFIX = 'session/';
const SETTINGS_KEY = 'settings';
const SUMMARIZED_KEY = 'summarized';
/** What an earlier version wrote instead. */
const EARLIER_SUMMARIZED_KEY = 'told';
const CHECKSUM = /,"crc":(\d+)\}$/;
/** At most: the rest of a snapshot need not be searched for it. */
const CHECKSUM_LENGTH = ',"crc":4294967295}'.length;
/** Older versions are dropped; a session whose snapshot uses one of them restarts after a takeover. */
const MAX_VERSIONS = 50;

/** An entry that holds this object, and a checksum of it and of its key: JSON that is damaged may still be JSON. */
function sealed(key: string, content: object): StateChange {
  const text = JSON.stringify(content).slice(0, -1);
  return { key, value: `${text},"crc":${String(crc32(text, crc32(key)))}}` };
}

/** Whether an entry is as it was written; `unknown` without a checksum, as earlier versions wrote it. */
export function integrityOf({ key, value }: StateEntry): 'intact' | 'unknown' | 'damaged' {
  if (key === SUMMARIZED_KEY || key === EARLIER_SUMMARIZED_KEY)
    return /^\d{1,16}$/.test(value) ? 'intact' : 'damaged';
  if (key !== SETTINGS_KEY && !key.startsWith(SESSION_PREFIX)) return 'damaged';
  const sum = CHECKSUM.exec(value.slice(-CHECKSUM_LENGTH));
  if (sum === null) return value.endsWith('}') ? 'unknown' : 'damaged';
  const text = value.slice(0, value.length - sum[0].length);
  return Number(sum[1]) === crc32(text, crc32(key)) ? 'intact' : 'damaged';
}

const incidentsSchema = z.array(
  z.object({
    id: z.string(),
    detector: verdictSchema.shape.detector,
    action: verdictSchema.shape.action,
    calls: z.number(),
    tokens: z.number(),
    usd: z.number(),
    agent: z.string().nullable(),
    model: z.string().nullable(),
    tool: z.string().nullable().default(null),
    since: z.number().nullable(),
  }),
);

const snapshotSchema = z.object({
  v: z.literal(1),
  /** Hash of the settings the session was analyzed with. */
  settings: z.string(),
  coveredTo: z.number().int().nonnegative(),
  incidents: incidentsSchema,
  summary: z.object({
    firstOffset: z.number().int(),
    startedAt: z.number(),
    summarizedAt: z.number().nullable(),
    tally: z
      .object({
        verdicts: z.number(),
        opened: z.partialRecord(z.enum(detectorIds), z.number()),
        checks: z.array(z.string()),
        progress: z.array(z.number()),
      })
      .optional(),
  }),
  snapshot: z.custom<StoredSession['snapshot']>(
    (value) => typeof value === 'object' && value !== null && 'v' in value && value.v === SNAPSHOT_VERSION,
  ),
});

/** A session's snapshot, with the metrics of its open incidents. */
export interface StoredSnapshot extends StoredSession {
  readonly settings: string;
  readonly incidents: readonly OpenIncident[];
}

/** What {@link readHead} reads comes first. */
export function writeSnapshot({
  sessionId,
  settings,
  coveredTo,
  snapshot,
  ...rest
}: StoredSnapshot): StateChange {
  return sealed(SESSION_PREFIX + sessionId, { v: 1, settings, coveredTo, snapshot, ...rest });
}

/** The offset up to which session summaries have been published. */
export function writeSummarized(offset: number): StateChange {
  return { key: SUMMARIZED_KEY, value: String(offset) };
}

/** @returns `undefined` for an entry of another kind */
export function readSummarized({ key, value }: StateEntry): number | undefined {
  return key === SUMMARIZED_KEY || key === EARLIER_SUMMARIZED_KEY ? Number(value) : undefined;
}

export function deleteSnapshot(sessionId: string): StateChange {
  return { key: SESSION_PREFIX + sessionId, value: null };
}

/** The session whose snapshot the entry is; `undefined` for an entry of another kind. */
export function sessionOf({ key }: Pick<StateEntry, 'key'>): string | undefined {
  return key.startsWith(SESSION_PREFIX) ? key.slice(SESSION_PREFIX.length) : undefined;
}

/** @returns `undefined` for a snapshot of another version */
export function readSnapshot(sessionId: string, { value }: StateEntry): StoredSnapshot | undefined {
  const entry = readJson(value, snapshotSchema);
  if (!entry.ok) return undefined;
  const { settings, coveredTo, incidents, summary, snapshot } = entry.value;
  return { sessionId, settings, coveredTo, incidents, summary: { tally: undefined, ...summary }, snapshot };
}

const HEAD =
  /^\{"v":1,"settings":"(\w+)","coveredTo":(\d+),"snapshot":\{"v":(\d+),"lastTime":[^,]+,"position":(-?\d+),/;

/** What the beginning of a snapshot tells, without the time that reading all of it takes. */
export interface SnapshotHead {
  /** Hash of the settings the session was analyzed with. */
  readonly settings: string;
  readonly coveredTo: number;
  /** Offset of the session's latest event; -1 if unknown. */
  readonly position: number;
}

/** @returns `undefined` for a snapshot of another version */
export function readHead({ value }: StateEntry): SnapshotHead | undefined {
  const [, settings, coveredTo, version, position] = HEAD.exec(value) ?? [];
  if (settings === undefined || Number(version) !== SNAPSHOT_VERSION) return undefined;
  return { settings, coveredTo: Number(coveredTo), position: Number(position) };
}

const outdatedSchema = z.object({
  incidents: incidentsSchema.catch([]),
  summary: snapshotSchema.shape.summary.pick({ firstOffset: true }).catch({ firstOffset: 0 }),
  snapshot: z
    .object({
      lastTime: z.number().catch(0),
      totals: z.object({ events: z.number() }).catch({ events: 0 }),
      incidents: z.array(z.tuple([z.string(), z.string(), z.object({ count: z.number() })])).catch([]),
    })
    .catch({ lastTime: 0, totals: { events: 0 }, incidents: [] }),
});

/** What every version's snapshot tells of a session that has to be rebuilt from its records. */
export type OutdatedSnapshot = z.infer<typeof outdatedSchema>;

export function readOutdated({ value }: StateEntry): OutdatedSnapshot {
  const entry = readJson(value, outdatedSchema);
  return entry.ok ? entry.value : outdatedSchema.parse({});
}

/** Whether the value can be read at all: another version's is JSON, too. */
export function isJson({ value }: StateEntry): boolean {
  return readJson(value, z.unknown()).ok;
}

const historySchema = z.object({
  v: z.literal(1),
  versions: z.array(z.object({ from: z.number().int().nonnegative(), settings: detectionSchema })),
});

interface SettingsRange {
  /** Offset of the first record analyzed with this version. */
  readonly from: number;
  readonly version: SettingsVersion;
}

/**
 * The settings that a partition's records were analyzed with, by offset. A replay uses the same settings at the same
 * offsets, whatever is configured by then.
 */
export class SettingsHistory {
  #ranges: SettingsRange[] = [];
  /** Whether there are changes to store. */
  hasChanged = false;

  get latest(): SettingsVersion | undefined {
    return this.#ranges.at(-1)?.version;
  }

  /** @returns whether the entry is a settings history */
  restore(entry: StateEntry, versionOf: (settings: DetectionSettings) => SettingsVersion): boolean {
    if (entry.key !== SETTINGS_KEY) return false;
    const history = readJson(entry.value, historySchema);
    if (!history.ok) return true;
    this.#ranges = history.value.versions.map(({ from, settings }) => ({
      from,
      version: versionOf(settings),
    }));
    return true;
  }

  byHash(hash: string): SettingsVersion | undefined {
    return this.#ranges.find(({ version }) => version.hash === hash)?.version;
  }

  /** Records at offset `from` and later are analyzed with another version. */
  begin(from: number, version: SettingsVersion): void {
    this.#ranges.push({ from, version });
    if (this.#ranges.length > MAX_VERSIONS) this.#ranges.shift();
    this.hasChanged = true;
  }

  /** Splits consecutive records wherever the settings change. */
  split<R extends { readonly offset: number }>(
    records: readonly R[],
  ): { version: SettingsVersion; records: R[] }[] {
    const pieces: { version: SettingsVersion; records: R[] }[] = [];
    for (const record of records) {
      const range = this.#ranges.findLast(({ from }) => from <= record.offset) ?? this.#ranges[0];
      if (range === undefined) continue;
      const last = pieces.at(-1);
      if (last?.version === range.version) last.records.push(record);
      else pieces.push({ version: range.version, records: [record] });
    }
    return pieces;
  }

  /** Changes since the last call. */
  takeChanges(): StateChange[] {
    if (!this.hasChanged) return [];
    this.hasChanged = false;
    const versions = this.#ranges.map(({ from, version }) => ({ from, settings: version.settings }));
    return [sealed(SETTINGS_KEY, { v: 1, versions })];
  }
}
