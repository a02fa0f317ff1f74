import type { Settings } from '@loopwatch/contract';
import { type Differences, isAllowed } from '../compare.ts';
import type { Judgement } from './judge.ts';
import type { Version } from './version.ts';

export interface Upgrade {
  readonly earlier: Version;
  readonly present: Version;
  readonly seed: number;
  /** Events a second. */
  readonly rate: number;
  readonly delivery: Settings['kafka']['delivery'];
  /** Whether workers have stable names in the group. */
  readonly names: boolean;
  /** `worker.replay_reach` */
  readonly replayReach: number;
  /** How long a version works before the next step, ms. */
  readonly pauseMs: number;
  readonly log: (text: string) => void;
  /** Folder for the logs of the processes. */
  readonly logs: string;
}

export interface UpgradeReport {
  readonly where: string;
  readonly steps: readonly string[];
  /** Events that were acknowledged. */
  readonly written: number;
  /** Events in the log. */
  readonly stored: number;
  readonly judgement: Judgement;
  /** Unexpected failures. */
  readonly troubles: readonly string[];
}

/** Maximum number of ids listed per kind of difference. */
const MOST_NAMED = 5;

export function isSound(
  { judgement, stored, written, troubles }: UpgradeReport,
  delivery: Upgrade['delivery'],
): boolean {
  const { expected, found, disputed, ...differences } = judgement;
  return isAllowed(differences, delivery) && stored >= written && found >= expected && troubles.length === 0;
}

export function reportText({ where, steps, written, stored, judgement, troubles }: UpgradeReport): string {
  const { expected, found, disputed, ...differences } = judgement;
  const lines = [
    where,
    ...steps.map((step) => `  ${step}`),
    `events       ${stored} (${written} acknowledged)`,
    `verdicts     ${expected} expected, ${found} found; ${disputed} that only one version finds`,
    ...Object.entries(differences as Differences).map(([what, ids]) =>
      [what.padEnd(12), String((ids as string[]).length), ...(ids as string[]).slice(0, MOST_NAMED)].join(
        ' ',
      ),
    ),
    ...troubles.map((trouble) => `TROUBLE      ${trouble}`),
  ];
  return `${lines.join('\n')}\n`;
}
