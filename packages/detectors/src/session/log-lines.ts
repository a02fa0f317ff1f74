import type { Verdict } from '@loopwatch/contract';
import { nouns } from '../incident/shown-calls.ts';
import { oneLine } from '../lib/one-line.ts';
import type { TurnRequest } from './detector-bank.ts';

/** A log line for the caller to write. */
export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn';
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** How many requests before the limit the warning starts. */
const NEAR = 2;

/**
 * The log lines of a verdict. Their wording is part of the contract: scripts and alerts match on it. Full signatures
 * and arguments appear only at DEBUG, with secrets masked.
 *
 * @param enforces whether the caller denies the calls of a blocked loop, or only reports it
 */
export function verdictLines(verdict: Omit<Verdict, 'source' | 'detectedAt'>, enforces: boolean): LogLine[] {
  const { sessionId, incidentId, detector, phase, action, count } = verdict;
  const fields = { sessionId, incidentId, detector, phase, action, count };
  const noun = nouns[verdict.kind];
  if (phase === 'resolved') {
    const message = oneLine(`${noun} resolved in session ${sessionId}: ${verdict.reason}`);
    return [{ level: 'info', message, fields: { ...fields, outcome: verdict.outcome } }];
  }
  // An outage names a tool too, but is not a loop of its calls.
  if (verdict.tool === null || verdict.kind !== 'loop') {
    const message = oneLine(`${noun} detected in session ${sessionId}: ${verdict.reason}, action=${action}`);
    return [{ level: 'warn', message, fields }];
  }
  const { signature } = verdict.tool;
  const name = oneLine(verdict.tool.name);
  const elapsed = Math.round(verdict.cost.ms / 1000);
  const done = `${reaction(verdict, enforces)} '${name}' - ${String(count)} ${countedIn(verdict)} in ${String(elapsed)} seconds`;
  return [
    { level: 'warn', message: toolLoopLine(verdict, verdict.tool), fields },
    {
      level: action === 'block' ? 'warn' : 'info',
      message: `Tool call loop detection: ${done}`,
      fields,
    },
    {
      level: 'debug',
      message: `Tool call loop evidence: ${name}`,
      fields: { ...fields, signature, evidence: verdict.evidence },
    },
  ];
}

/** The presets in whose words a model gets a chance; in those of the others, it is warned. */
const SAYS_CHANCE: ReadonlySet<string> = new Set(['balanced', 'stream', 'proxy']);

/** What was done about a loop of calls; the presets that follow other proxies have the wording of those. */
function reaction(
  { action, preset, detector }: Pick<Verdict, 'action' | 'preset' | 'detector'>,
  enforces: boolean,
): string {
  if (action === 'warn') return 'Warning issued for tool';
  if (action === 'chance')
    return SAYS_CHANCE.has(preset) ? 'Chance given for tool' : 'Warning issued for tool';
  if (preset !== 'balanced' && detector === 'tool-repeat') return 'Blocked tool';
  return enforces ? 'Denied tool' : 'Block verdict issued for tool';
}

function countedIn({ detector }: Pick<Verdict, 'detector'>): string {
  if (detector === 'stagnation') return 'steps without progress';
  return detector === 'tool-cycle' ? 'rounds of one cycle' : 'similar calls';
}

/** The WARNING line for every opened or escalated loop of tool calls. */
function toolLoopLine(
  verdict: Omit<Verdict, 'source' | 'detectedAt'>,
  tool: NonNullable<Verdict['tool']>,
): string {
  const { sessionId, count, threshold, windowMs, model, backend, action } = verdict;
  const window = windowMs === null ? 'none' : `${String(windowMs / 1000)}s`;
  return oneLine(
    `Tool call loop detected in session ${sessionId}: tool=${tool.name}, repeats=${String(count)}/${String(threshold)}, ` +
      `window=${window}, model=${model ?? 'unknown'}, backend=${backend ?? 'unknown'}, action=${action}, ` +
      `signature=${tool.signature.slice(0, 50)}...`,
  );
}

/** The log lines of a model request whose number is limited. Scripts and alerts match on their wording. */
export function turnRequestLines(sessionId: string, { number, allowed }: TurnRequest): LogLine[] {
  const share = `${String(number)}/${String(allowed)}`;
  const fields = { sessionId, number, allowed };
  const line = (level: LogLine['level'], text: string): LogLine => ({
    level,
    message: oneLine(text),
    fields,
  });
  return [
    ...(number <= allowed ? [line('debug', `Turn request ${share} for session ${sessionId}`)] : []),
    ...(number === allowed - NEAR
      ? [line('warn', `Approaching turn request limit for session ${sessionId} (${share})`)]
      : []),
    ...(number === allowed + 1
      ? [line('warn', `Session ${sessionId} exceeded max turn requests (${share})`)]
      : []),
  ];
}
