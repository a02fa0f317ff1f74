import type { Mode } from '@loopwatch/contract';
import type { SimilaritySettings } from '../../lib/similarity.ts';

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

/** Those of all tools, and of single ones over them. */
export interface ToolRepeatPlan {
  readonly tool: ToolRepeatOptions;
  readonly perTool: ReadonlyMap<string, ToolRepeatOptions>;
}
