import type { TurnRequest } from '@loopwatch/pipeline';
import type { Logger } from 'pino';
import { oneLine } from './one-line.ts';

/** Requests before the limit at which it is said to come near. */
const NEAR = 2;

/** The lines about model requests where their number is limited. Scripts and alerts hold on to their wording. */
export function logTurnRequest(logger: Logger, sessionId: string, { number, allowed }: TurnRequest): void {
  const share = `${String(number)}/${String(allowed)}`;
  const fields = { sessionId, number, allowed };
  if (number <= allowed) logger.debug(fields, oneLine(`Turn request ${share} for session ${sessionId}`));
  if (number === allowed - NEAR)
    logger.warn(fields, oneLine(`Approaching turn request limit for session ${sessionId} (${share})`));
  if (number === allowed + 1)
    logger.warn(fields, oneLine(`Session ${sessionId} exceeded max turn requests (${share})`));
}
