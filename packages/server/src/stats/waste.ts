import type { Stats } from '@loopwatch/contract/api';

/** What the incidents of these rows used. */
export function wasteOf(
  rows: readonly { readonly calls: number; readonly tokens: number | null }[],
): Stats['wasted'] {
  const reported = rows.flatMap(({ tokens }) => tokens ?? []);
  return {
    calls: rows.reduce((sum, { calls }) => sum + calls, 0),
    tokens: reported.length === 0 ? null : reported.reduce((sum, tokens) => sum + tokens, 0),
  };
}
