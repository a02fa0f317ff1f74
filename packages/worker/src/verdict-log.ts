import type { Verdict } from '@loopwatch/contract';
import type { Logger } from 'pino';
import { oneLine } from './one-line.ts';

const nouns: Readonly<Record<Verdict['kind'], string>> = { loop: 'Loop', limit: 'Limit', outage: 'Outage' };

/**
 * The lines an operator reads. Their wording is part of the contract: scripts and alerts hold on to it. Full signatures
 * and arguments appear at DEBUG only, with secrets masked by the detectors.
 */
export function logVerdict(logger: Logger, verdict: Omit<Verdict, 'source'>): void {
  const { sessionId, incidentId, detector, phase, action, count } = verdict;
  const fields = { sessionId, incidentId, detector, phase, action, count };
  if (phase === 'resolved') {
    logger.info(
      { ...fields, outcome: verdict.outcome },
      oneLine(`Loop resolved in session ${sessionId}: ${verdict.reason}`),
    );
    return;
  }
  if (verdict.tool === null) {
    logger.warn(
      fields,
      oneLine(`${nouns[verdict.kind]} detected in session ${sessionId}: ${verdict.reason}, action=${action}`),
    );
    return;
  }
  const { signature } = verdict.tool;
  const name = oneLine(verdict.tool.name);
  logger.warn(fields, toolLoopLine(verdict, verdict.tool));
  const elapsed = Math.round(verdict.cost.ms / 1000);
  const calls = `${String(count)} similar calls in ${String(elapsed)} seconds`;
  if (action === 'block') logger.warn(fields, `Tool call loop detection: Blocked tool '${name}' - ${calls}`);
  else logger.info(fields, `Tool call loop detection: Warning issued for tool '${name}' - ${calls}`);
  logger.debug({ ...fields, signature, evidence: verdict.evidence }, `Tool call loop evidence: ${name}`);
}

/** The line at WARNING for every opened or escalated loop of tool calls. */
export function toolLoopLine(verdict: Omit<Verdict, 'source'>, tool: NonNullable<Verdict['tool']>): string {
  const { sessionId, count, threshold, windowMs, model, backend, action } = verdict;
  const window = windowMs === null ? 'none' : `${String(windowMs / 1000)}s`;
  return oneLine(
    `Tool call loop detected in session ${sessionId}: tool=${tool.name}, repeats=${String(count)}/${String(threshold)}, ` +
      `window=${window}, model=${model ?? 'unknown'}, backend=${backend ?? 'unknown'}, action=${action}, ` +
      `signature=${tool.signature.slice(0, 50)}...`,
  );
}
