import type { Verdict } from '@loopwatch/contract';
import { type LogLine, verdictLines } from '@loopwatch/detectors';
import type { Logger } from 'pino';

/** The lines an operator reads of a verdict. */
export function logVerdict(logger: Logger, verdict: Omit<Verdict, 'source'>): void {
  writeLines(logger, verdictLines(verdict));
}

export function writeLines(logger: Logger, lines: readonly LogLine[]): void {
  for (const { level, message, fields } of lines) logger[level](fields, message);
}
