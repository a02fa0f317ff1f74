/** Further types are counted together. */
const MAX_LISTED = 8;

/** Counts records without a meaning for loop detection, by type. */
export class IgnoredTypes {
  readonly #counts = new Map<string, number>();

  add(types: readonly string[]): void {
    for (const type of types) this.#counts.set(type, (this.#counts.get(type) ?? 0) + 1);
  }

  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** `814 progress, 12 summary`, the most frequent first; empty if nothing was ignored. */
  toString(): string {
    const sorted = [...this.#counts].sort(([, a], [, b]) => b - a);
    const rest = sorted.slice(MAX_LISTED);
    const more = rest.reduce((sum, [, count]) => sum + count, 0);
    const listed = sorted.slice(0, MAX_LISTED).map(([type, count]) => `${String(count)} ${type}`);
    return [...listed, ...(more > 0 ? [`${String(more)} of ${String(rest.length)} other types`] : [])].join(
      ', ',
    );
  }
}
