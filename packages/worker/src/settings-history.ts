import { type DetectionSettings, detectionSchema, readJson } from '@loopwatch/contract';
import type { StateChange } from '@loopwatch/log';
import type { SettingsVersion } from '@loopwatch/pipeline';
import { z } from 'zod';

const key = 'settings';
/** Older ones are dropped: a session that was kept under one of them restarts after a takeover. */
const mostVersions = 50;

const historySchema = z.object({
  v: z.literal(1),
  versions: z.array(z.object({ from: z.number().int().nonnegative(), settings: detectionSchema })),
});

interface Holding {
  /** Offset of the first record they hold for. */
  readonly from: number;
  readonly version: SettingsVersion;
}

/**
 * By which settings the records of a partition were analyzed. It is kept with the partition's state, so that a replay
 * goes by the same ones at the same offsets, whatever is configured by then.
 */
export class SettingsHistory {
  private holdings: Holding[] = [];
  private isNew = false;

  get latest(): SettingsVersion | undefined {
    return this.holdings.at(-1)?.version;
  }

  /** @returns whether the entry is a history */
  restore(
    entry: { readonly key: string; readonly value: string },
    versionOf: (settings: DetectionSettings) => SettingsVersion,
  ): boolean {
    if (entry.key !== key) return false;
    const history = readJson(entry.value, historySchema);
    if (!history.ok) return true;
    this.holdings = history.value.versions.map(({ from, settings }) => ({
      from,
      version: versionOf(settings),
    }));
    return true;
  }

  byHash(hash: string): SettingsVersion | undefined {
    return this.holdings.find(({ version }) => version.hash === hash)?.version;
  }

  /** Other settings hold from the record at `from` on. */
  begin(from: number, version: SettingsVersion): void {
    this.holdings.push({ from, version });
    if (this.holdings.length > mostVersions) this.holdings.shift();
    this.isNew = true;
  }

  /** Cuts consecutive records where other settings begin to hold. */
  cut<R extends { readonly offset: number }>(
    records: readonly R[],
  ): { version: SettingsVersion; records: R[] }[] {
    const pieces: { version: SettingsVersion; records: R[] }[] = [];
    for (const record of records) {
      const holding = this.holdings.findLast(({ from }) => from <= record.offset) ?? this.holdings[0];
      if (holding === undefined) continue;
      const last = pieces.at(-1);
      if (last?.version === holding.version) last.records.push(record);
      else pieces.push({ version: holding.version, records: [record] });
    }
    return pieces;
  }

  /** What is to be kept since the last time. */
  changes(): StateChange[] {
    if (!this.isNew) return [];
    this.isNew = false;
    const versions = this.holdings.map(({ from, version }) => ({ from, settings: version.settings }));
    return [{ key, value: JSON.stringify({ v: 1, versions }) }];
  }
}
