import { TextFolder } from './text-folder.ts';

/**
 * Distances from the end of a text to the earlier occurrences of what it ends with, nearest first: of its last `window`
 * units in folded form. Evidence only, so it may cost a pass over the text.
 */
export function occurrences(text: string, window: number, most: number): number[] {
  /** End index in the text, by folded unit. */
  const places: number[] = [];
  let form = '';
  new TextFolder().fold(text, 0, text.length, {
    number: () => undefined,
    folded(part, from, to, at) {
      for (let i = from; i < to; i += 1) places.push(at ?? i);
      form += part.slice(from, to);
    },
  });
  const latest = form.slice(-window);
  const distances: number[] = [];
  for (let i = form.length - latest.length; i > 0 && distances.length < most; ) {
    i = form.lastIndexOf(latest, i - 1);
    if (i < 0) break;
    distances.push(text.length - 1 - (places[i + latest.length - 1] ?? 0));
  }
  return distances;
}
