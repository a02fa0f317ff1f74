import { outcomeOf, scoreOf } from '../eval/score.ts';
import type { Contender } from './contenders/contender.ts';

/** Whether a contender reported a session. */
export interface Tally {
  readonly contender: string;
  readonly set: string;
  readonly id: string;
  readonly isLoop: boolean;
  readonly reported: boolean;
}

/** Markdown: one row per contender, with the loops found and the false alarms of each set. */
export function scoreTable(
  contenders: readonly Pick<Contender, 'name' | 'version' | 'note'>[],
  tallies: readonly Tally[],
): string {
  const sets = [...new Set(tallies.map(({ set }) => set))];
  const rows = contenders.map(({ name, version, note }) => {
    const own = tallies.filter(({ contender }) => contender === name);
    const all = scored(own);
    const perSet = sets.map((set) => {
      const { found, missed, falseAlarms, silent } = scored(own.filter((one) => one.set === set));
      return `${String(found)} of ${String(found + missed)}; ${String(falseAlarms)} of ${String(falseAlarms + silent)}`;
    });
    return [name, version, percent(all.precision), percent(all.recall), ...perSet, note];
  });
  const header = ['detector', 'version', 'precision', 'recall', ...sets, 'note'];
  return [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

/** Labelled sessions that could not be scored. */
export interface LeftOut {
  readonly set: string;
  readonly sessions: number;
  /** Whether `fetch` gets them; other recordings are not published in a form or under a license that allows it. */
  readonly canBeFetched: boolean;
}

/** Says which cases the table is without; nothing if it has all. */
export function leftOutNote(leftOut: readonly LeftOut[]): string {
  const list = (canBeFetched: boolean) =>
    leftOut
      .filter((one) => one.canBeFetched === canBeFetched)
      .map(({ set, sessions }) => `${set} (${String(sessions)})`)
      .join(', ');
  const missing = list(true);
  const others = list(false);
  return [
    ...(missing === '' ? [] : [`\nLeft out, not fetched yet (npm run loopbench -- fetch): ${missing}\n`]),
    ...(others === '' ? [] : [`\nLeft out, only with --data FOLDER: ${others}\n`]),
  ].join('');
}

function scored(tallies: readonly Tally[]) {
  const outcomes = tallies.map(({ isLoop, reported }) => outcomeOf(isLoop ? 'loop' : 'not_loop', reported));
  return { ...scoreOf(outcomes), silent: outcomes.filter((outcome) => outcome === 'silent').length };
}

function percent(share: number | null): string {
  return share === null ? '-' : `${String(Math.round(share * 100))} %`;
}
