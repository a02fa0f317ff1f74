/** Offsets whose records are gone, from `from` on up to the one before `to`. */
export interface LostRange {
  readonly from: number;
  readonly to: number;
}

const digits = 20;

/** The file that marks the range in its topic's folder: what is lost is never lost on the quiet. */
export function lostFileName({ from, to }: LostRange): string {
  return `${String(from).padStart(digits, '0')}-${String(to).padStart(digits, '0')}.lost`;
}

/** The marked ranges among a folder's files, in order. */
export function lostRanges(fileNames: readonly string[]): LostRange[] {
  return fileNames
    .map((name) => /^(\d{20})-(\d{20})\.lost$/.exec(name))
    .filter((match) => match !== null)
    .map(([, from, to]) => ({ from: Number(from), to: Number(to) }))
    .sort((a, b) => a.from - b.from);
}

/** The first offset from this one on that is not lost. */
export function behindLost(ranges: readonly LostRange[], offset: number): number {
  return ranges.reduce((at, { from, to }) => (from <= at && at < to ? to : at), offset);
}
