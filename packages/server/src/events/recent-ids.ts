const perGeneration = 50_000;

/** The ids of the latest events that this server has taken, 50,000 to 100,000 of them. */
export class RecentIds {
  #latest = new Set<string>();
  #before = new Set<string>();

  has(id: string): boolean {
    return this.#latest.has(id) || this.#before.has(id);
  }

  add(id: string): void {
    this.#latest.add(id);
    if (this.#latest.size < perGeneration) return;
    this.#before = this.#latest;
    this.#latest = new Set();
  }
}
