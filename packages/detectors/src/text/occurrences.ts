import { FoldedForm, TextFolder } from './text-folder.ts';
import { unitsText } from './units-text.ts';

/**
 * Distances from the end of a text to the earlier occurrences of its last `window` units in folded form, nearest first.
 * It is used for evidence only, so a pass over the text is affordable.
 */
export function occurrences(text: string, window: number, most: number): number[] {
  const folded = new FoldedForm(text.length);
  new TextFolder().fold(text, 0, text.length, folded);
  const { places, length } = folded;
  const form = unitsText(folded.units, 0, length);
  const latest = form.slice(-window);
  const distances: number[] = [];
  for (let i = form.length - latest.length; i > 0 && distances.length < most; ) {
    i = form.lastIndexOf(latest, i - 1);
    if (i < 0) break;
    distances.push(text.length - 1 - (places[i + latest.length - 1] as number));
  }
  return distances;
}
