import { earlierOccurrences } from './earlier-occurrences.ts';
import { FoldedForm, TextFolder } from './text-folder.ts';
import { unitsText } from './units-text.ts';

/**
 * Distances from the end of a text to the earlier occurrences of its last `window` units in folded form, nearest first.
 * It is used for evidence only, so a pass over the text is affordable.
 */
export function occurrences(text: string, window: number, most: number): number[] {
  const folded = new FoldedForm(text.length);
  new TextFolder().fold(text, 0, text.length, folded);
  const { units, places, length } = folded;
  const last = length - 1;
  return earlierOccurrences(unitsText(units, 0, length), window, most).map(
    (distance) => text.length - 1 - (places[last - distance] as number),
  );
}
