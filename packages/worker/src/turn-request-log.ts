import { turnRequestLines } from '@loopwatch/detectors';
import type { TurnRequest } from '@loopwatch/pipeline';
import type { Logger } from 'pino';
import { writeLines } from './verdict-log.ts';

/** The lines about model requests where their number is limited. */
export function logTurnRequest(logger: Logger, sessionId: string, request: TurnRequest): void {
  writeLines(logger, turnRequestLines(sessionId, request));
}
