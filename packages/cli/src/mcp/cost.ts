import type * as z from 'zod';
import { formatCompact, formatCount, formatUsd } from '../scan/format-values.ts';
import type { costSchema } from './tool.ts';

type PlainCost = z.infer<typeof costSchema>;

/** Without what the tools do not tell. */
export function plainCost({
  calls,
  tokens,
  usd,
}: {
  readonly calls: number;
  readonly tokens: number | null;
  readonly usd?: number | null | undefined;
}): PlainCost {
  return { calls, tokens, usd: usd ?? null };
}

/** $1.20, 41.2k tokens, 12 calls */
export function costText({ calls, tokens, usd }: PlainCost): string {
  const parts = [
    usd === null ? null : formatUsd(usd),
    tokens === null ? null : `${formatCompact(tokens)} tokens`,
    formatCount(calls, 'call'),
  ];
  return parts.filter((part) => part !== null).join(', ');
}
