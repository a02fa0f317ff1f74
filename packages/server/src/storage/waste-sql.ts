/**
 * The sums of what loops wasted, each call once, as columns of `incidents`. Tokens and dollars are null if unknown for all;
 * `unpriced` counts the loops with tokens of unknown price.
 *
 * @param within SQL condition
 * @param prefix of the columns' names
 */
export function wasteSums(within = 'true', prefix = ''): string {
  return `coalesce(sum(wasted_calls) filter (where ${within}), 0) as ${prefix}calls,
    sum(wasted_tokens) filter (where ${within} and wasted_tokens >= 0) as ${prefix}tokens,
    sum(wasted_usd) filter (where ${within} and wasted_usd >= 0) as ${prefix}usd,
    count(*) filter (where ${within} and wasted_tokens >= 0 and wasted_usd < 0)::float8 as ${prefix}unpriced`;
}
