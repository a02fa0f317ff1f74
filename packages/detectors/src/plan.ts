import type { Mode } from '@loopwatch/contract';
import type { CallHistory } from './call-history.ts';
import type { Detector } from './finding.ts';
import type { Privacy } from './privacy.ts';
import type { RoundOptions } from './round-options.ts';
import type { SemanticOptions } from './semantic/options.ts';
import type { SimilaritySettings } from './similarity.ts';
import type { TextIndex, TextRule } from './text-index.ts';

/** tool-repeat's options for one tool, every default filled in. */
export interface ToolRepeatOptions {
  readonly enabled: boolean;
  readonly threshold: number;
  /** `null`: calls of any age count. */
  readonly ttlMs: number | null;
  readonly mode: Mode;
  /** `null`: only identical calls count. */
  readonly similarity: SimilaritySettings | null;
  readonly blockText: string | null;
  readonly warningText: string | null;
}

/** Options of the two detectors of repeated text. */
export interface TextRepeatOptions extends TextRule {
  /** The stream of the session that is read: its answer or its reasoning. */
  readonly stream: 'content' | 'thought';
  readonly mode: Mode;
  createIndex(): TextIndex;
}

/** Options of tool-limit. */
export interface ToolLimitOptions {
  readonly maxTurns: number;
}

/** Options of turn-limit. */
export interface TurnLimitOptions {
  readonly maxRequests: number;
}

/** Rules that look at calls together with their results: what each is told, and how it is made. */
export interface RoundRules {
  readonly options: RoundOptions;
  createHistory(): CallHistory;
  createToolRepeat(plan: DetectionPlan): Detector;
  /** Of the others, `null` is one that is off. */
  createOutage(): Detector | null;
  createToolCycle(): Detector | null;
  createStagnation(): Detector | null;
}

/** Detection settings made ready to run: the preset applied, one object shared by all sessions that have them. */
export interface DetectionPlan {
  readonly enabled: boolean;
  readonly preset: string;
  /** Of the settings that decide verdicts; two runs with the same hash conclude the same. */
  readonly configHash: string;
  readonly idleMs: number;
  readonly tool: ToolRepeatOptions;
  readonly perTool: ReadonlyMap<string, ToolRepeatOptions>;
  /** `null`: calls alone decide. */
  readonly rounds: RoundRules | null;
  readonly content: TextRepeatOptions | null;
  readonly thought: TextRepeatOptions | null;
  /** `null`: off, or nobody is there to answer. */
  readonly semantic: SemanticOptions | null;
  readonly toolLimit: ToolLimitOptions | null;
  readonly turnLimit: TurnLimitOptions | null;
  readonly privacy: Privacy;
}
