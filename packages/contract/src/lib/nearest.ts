import { editDistance } from './edit-distance.ts';

/** The known name nearest to a misspelled one, if any is near enough to suggest. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((candidate) => ({ candidate, edits: editDistance(name, candidate) }))
    .toSorted((a, b) => a.edits - b.edits);
  const best = ranked[0];
  const enough = name.length < 5 ? 1 : Math.max(2, name.length / 3);
  return best !== undefined && best.edits <= enough ? best.candidate : undefined;
}

/** The end of a message about an unknown name, with a suggestion if there is one. */
export function didYouMean(meant: string | undefined): string {
  return meant === undefined ? '' : `; did you mean ${meant}?`;
}
