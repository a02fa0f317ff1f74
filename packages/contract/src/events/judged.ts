/**
 * Header of an event that its producer has already analyzed, and whose verdicts are already written: a worker updates its
 * state and writes none. The value names the producer.
 */
export const judgedHeader = 'loopwatch-judged';
