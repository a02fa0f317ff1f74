import type { Cost, DetectorId, Waste } from '@loopwatch/contract';
import type { NotUnderstood } from '../events/understood.ts';

/** A loop in a scanned session. */
export interface ScannedLoop {
  readonly sessionId: string;
  readonly file: string;
  /** The session's first prompt, shortened to one line; null if the history has none. */
  readonly prompt: string | null;
  /** Name of the folder that the agent worked in; null if the history does not say it. */
  readonly project: string | null;
  readonly agent: string | null;
  readonly model: string | null;
  /** Name of the tool that was called; null for other loops. */
  readonly tool: string | null;
  readonly detector: DetectorId;
  readonly kind: 'loop' | 'limit' | 'outage';
  readonly count: number;
  /** What was repeated, in a few words without arguments. */
  readonly title: string;
  /** What was repeated, as a sentence. */
  readonly reason: string;
  /** Event time of its first finding, epoch ms. */
  readonly time: number;
  /** Usage of the loop when it ended, or at the session's last event. */
  readonly cost: Cost;
  /** The part of it that no earlier loop of the session contains. */
  readonly wasted: Waste;
}

/** Total usage of sessions or of their loops. */
export interface Usage {
  calls: number;
  tokens: number;
  /** As far as the price is known. */
  usd: number;
  /** Sessions, or loops, whose tokens have no known price. */
  unpriced: number;
}

/** What the sessions of an agent, a project or a day used and wasted. */
export interface Share {
  sessions: number;
  loops: number;
  readonly used: Usage;
  readonly wasted: Usage;
}

/** What was read of the histories in one agent's own folders. */
export interface ScannedStore {
  readonly agent: string;
  files: number;
  /** Files of an unknown format. */
  skippedFiles: number;
  sessions: number;
  calls: number;
}

/** What a scan found; `scan --json` writes it. Times and sizes differ between runs. */
export interface ScanReport {
  readonly v: 1;
  readonly files: number;
  readonly bytes: number;
  /** Characters of JSON read, after decompression. */
  readonly characters: number;
  readonly seconds: number;
  readonly sessions: number;
  readonly sessionsWithLoops: number;
  /** Sessions that ended before `--since`; they count nowhere else. */
  readonly earlierSessions: number;
  /** Sessions by agent, as the events name it. */
  readonly agents: Readonly<Record<string, number>>;
  readonly events: number;
  /** Copies of events in resumed and forked sessions, which count once. */
  readonly duplicates: number;
  /** Number of records without a meaning for loop detection, by type. */
  readonly ignored: Readonly<Record<string, number>>;
  /** Number of lines and files that could not be read. */
  readonly faults: number;
  /** Files of unknown format in folders. */
  readonly skippedFiles: number;
  readonly firstSkipped: string | null;
  /** The agents' own folders, if no others were named. */
  readonly stores: readonly ScannedStore[];
  /** Files of which most records were not understood. */
  readonly notUnderstood: readonly NotUnderstood[];
  readonly used: Usage;
  readonly loops: number;
  readonly wasted: Usage;
  readonly byDetector: Readonly<Record<string, { readonly loops: number } & Usage>>;
  /** By the agent's name, the most sessions first. */
  readonly byAgent: Readonly<Record<string, Share>>;
  /** By the name of the folder that the agent worked in; `unknown` if the history does not say it. */
  readonly byProject: Readonly<Record<string, Share>>;
  /** By the day (UTC) that the session, or its part after a long pause, began on, `unknown` without a clock; oldest first. */
  readonly byDay: Readonly<Record<string, Share>>;
  /** Models without a known price. */
  readonly withoutPrice: readonly string[];
  /** The most expensive loops, worst first. */
  readonly worst: readonly ScannedLoop[];
}
