import type { DetectorId } from '@loopwatch/contract';

/** Width and height of the tile that a pattern repeats, and of its lines, in pixels. */
export const patternTile = { size: 6, line: 1.6 };

const falling = 'M0 0L6 6M-1 5L1 7M5-1L7 1';
const rising = 'M0 6L6 0M-1 1L1-1M5 7L7 5';

/** A second sign beside each detector's color: SVG paths in a tile, '' for none. */
export const detectorPatterns: Readonly<Record<DetectorId, string>> = {
  'tool-repeat': '',
  'tool-cycle': rising,
  stagnation: 'M1.5 1.5h.01M4.5 4.5h.01',
  'content-repeat': falling,
  'thought-repeat': 'M0 3H6',
  semantic: rising + falling,
  'tool-limit': 'M3 0V6',
  'turn-limit': 'M0 3H6M3 0V6',
  outage: 'M-1 5.5L3 1.5L7 5.5',
  budget: 'M1.5 0V3M4.5 3V6',
};

/** A CSS mask of a pattern, to be read by luminance: its lines let less of the color through. */
export function patternMask(path: string): string {
  const { size, line } = patternTile;
  const box = `width='${String(size)}' height='${String(size)}'`;
  const lines = `<path d='${path}' stroke='%23444' stroke-width='${String(line)}' stroke-linecap='round'/>`;
  return `url("data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' ${box}><path d='M0 0H9V9H0' fill='%23fff'/>${lines}</svg>")`;
}
