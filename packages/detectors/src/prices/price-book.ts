import type { KnownEvent, PriceSettings } from '@loopwatch/contract';

type TurnFinished = Extract<KnownEvent, { type: 'turn_finished' }>;

/** Model names come from events, so their number must be bounded. */
const MAX_REMEMBERED = 1000;

/** Token prices of models: from the configuration, else from the shipped table. */
export class PriceBook {
  readonly #own: ReadonlyMap<string, PriceSettings>;
  readonly #table: ReadonlyMap<string, PriceSettings>;
  readonly #remembered = new Map<string, PriceSettings | undefined>();

  constructor(own: Readonly<Record<string, PriceSettings>>, table: ReadonlyMap<string, PriceSettings>) {
    this.#own = new Map(Object.entries(own).map(([model, price]) => [model.toLowerCase(), price]));
    this.#table = table;
  }

  /** @returns undefined for a model with an unknown price */
  priceOf(model: string): PriceSettings | undefined {
    if (this.#remembered.has(model)) return this.#remembered.get(model);
    const names = namesOf(model);
    const price = firstOf(this.#own, names) ?? firstOf(this.#table, names);
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(model, price);
    return price;
  }

  /**
   * US dollars of a turn. A reported cost of 0 for tokens comes from a subscription or a missing price: what they cost is
   * unknown, unless the configuration says it.
   *
   * @returns undefined if its model has no price and the producer reports no cost
   */
  costOf({ usage, costUsd }: TurnFinished, model: string | null): number | undefined {
    const isReported = typeof costUsd === 'number';
    if (isReported && (costUsd > 0 || !hasTokens(usage))) return costUsd;
    // A request that was aborted before it used anything.
    if (usage && !hasTokens(usage)) return 0;
    if (!usage || model === null) return undefined;
    const price = isReported ? firstOf(this.#own, namesOf(model)) : this.priceOf(model);
    if (price === undefined) return undefined;
    // Tokens of a kind without a price cost as much as input.
    const { input, output, cached_input: cachedInput = input, cache_write: cacheWrite = input } = price;
    const cached = usage.cachedInputTokens ?? 0;
    const written = usage.cacheWriteTokens ?? 0;
    const plain = Math.max(0, (usage.inputTokens ?? 0) - cached - written);
    // Anthropic's cache of an hour costs 2 times the input, that of five minutes 1.25 times.
    const paid = written + (usage.hourCacheWriteTokens ?? 0) * 0.6;
    return (
      (plain * input + cached * cachedInput + paid * cacheWrite + (usage.outputTokens ?? 0) * output) / 1e6
    );
  }
}

function hasTokens(usage: TurnFinished['usage']): boolean {
  return Boolean(usage?.inputTokens || usage?.outputTokens);
}

function firstOf(
  prices: ReadonlyMap<string, PriceSettings>,
  names: readonly string[],
): PriceSettings | undefined {
  return prices.get(names.find((one) => prices.has(one)) ?? '');
}

/**
 * The names to look up a model's price by, most exact first: unchanged, without vendor and region prefixes, without
 * cloud suffixes, without the date, and in the spelling of Anthropic's own ids.
 */
function namesOf(model: string): string[] {
  const whole = model.toLowerCase();
  const bare = whole
    .slice(whole.lastIndexOf('/') + 1)
    .replace(/^(?:[a-z]{2,6}\.)?(?:anthropic|openai|google|meta)\./, '');
  const plain = bare.replace(/\[\w+\]$|@\w+$|:\w+$/, '').replace(/-v\d$/, '');
  const undated = plain.replace(/-(?:latest|preview\b.*|20\d{6}|20\d\d-\d\d-\d\d)$/, '');
  const dashed = undated.startsWith('claude') ? undated.replaceAll('.', '-') : undated;
  return [whole, bare, plain, undated, dashed];
}
