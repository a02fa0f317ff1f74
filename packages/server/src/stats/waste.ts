import type { Stats } from '@loopwatch/contract/api';

/** What the incidents of a group used; null: of none of them it is known. */
interface Used {
  readonly calls: number;
  readonly tokens: number | null;
  readonly usd: number | null;
  /** Incidents that report tokens of a model without a price. */
  readonly unpriced: number;
}

/** What the incidents of these groups used. */
export function wasteOf(groups: readonly Used[]): Stats['wasted'] {
  return {
    calls: groups.reduce((sum, { calls }) => sum + calls, 0),
    tokens: knownSum(groups.map(({ tokens }) => tokens)),
    usd: knownSum(groups.map(({ usd }) => usd)),
    unpriced: groups.reduce((sum, { unpriced }) => sum + unpriced, 0),
  };
}

function knownSum(amounts: readonly (number | null)[]): number | null {
  const known = amounts.flatMap((amount) => amount ?? []);
  return known.length === 0 ? null : known.reduce((sum, amount) => sum + amount, 0);
}
