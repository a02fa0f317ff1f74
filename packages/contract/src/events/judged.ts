/**
 * The header of a record of the events topic whose event was judged where it came about: its verdicts are written
 * already, so a worker takes note of it and writes none. The value names who judged.
 */
export const judgedHeader = 'loopwatch-judged';
