import type { IncidentRow } from '@loopwatch/contract';
import { formatCompact, formatDuration, formatUsd, joinWords, plural } from '../lib/format.ts';

/** One sentence: what the loop has consumed since it began, as far as it is known. */
export function costSentence({
  cost,
  state,
  detector,
  count,
  model,
}: Pick<IncidentRow, 'cost' | 'state' | 'detector' | 'count' | 'model'>): string {
  const parts: string[] = [];
  if (cost.usd != null) parts.push(formatUsd(cost.usd));
  if (cost.tokens !== null) parts.push(plural(cost.tokens, 'token'));
  if (cost.calls > 0)
    parts.push(`${plural(cost.calls, 'call')}${cost.calls > count ? counted(detector, count) : ''}`);
  if (cost.turns > 0) parts.push(plural(cost.turns, 'model request'));
  if (cost.characters > 0 && cost.calls === 0) parts.push(plural(cost.characters, 'character'));
  const took = formatDuration(Math.max(0, cost.ms));
  if (parts.length === 0) return state !== 'resolved' ? `${took} so far.` : `Lasted ${took}.`;
  const price = cost.tokens !== null && cost.usd === null ? noPrice(model) : '';
  // A budget is used from the start of its session, and reported once little of it is left.
  const since = detector === 'budget' ? ' since it was reported' : state === 'resolved' ? '' : ' so far';
  return `${joinWords(parts)} in ${took}${since}.${price}`;
}

/** Why a loop cost more calls than it counts. */
function counted(detector: IncidentRow['detector'], count: number): string {
  // A step of several calls counts once, and costs each of them.
  if (detector === 'tool-repeat') return ` in ${plural(count, 'step')}`;
  if (detector === 'tool-cycle') return ` in ${plural(count, 'repetition')} of the cycle`;
  return detector === 'stagnation' ? ', including those in between,' : '';
}

/** The cost for a list cell: dollars if known, and tokens if known, else calls, else characters. */
export function costShort({ cost: { usd, tokens, calls, characters } }: Pick<IncidentRow, 'cost'>): {
  readonly usd: string | undefined;
  readonly usage: string;
} {
  return {
    usd: usd == null ? undefined : formatUsd(usd),
    usage:
      tokens !== null
        ? `${formatCompact(tokens)} tokens`
        : calls > 0
          ? plural(calls, 'call')
          : `${formatCompact(characters)} chars`,
  };
}

/** Events that a producer sends together are milliseconds apart, which says nothing about a minute. */
const MIN_RATE_MS = 10_000;

/** Dollars a minute that these loops have cost since they began; `undefined` if no price is known. */
export function costPerMinute(loops: readonly Pick<IncidentRow, 'cost'>[]): number | undefined {
  const rates = loops.flatMap(({ cost: { usd, ms } }) =>
    usd != null && ms > 0 ? (usd * 60_000) / Math.max(ms, MIN_RATE_MS) : [],
  );
  return rates.length === 0 ? undefined : rates.reduce((sum, rate) => sum + rate);
}

function noPrice(model: string | null): string {
  return model === null ? ' No price for sessions without a model name.' : ` No price for ${model}.`;
}
