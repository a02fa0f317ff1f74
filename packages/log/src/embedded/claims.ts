import { LogError } from '../port/errors.ts';

/** Which groups are at work on which topics: two readers of one group would get in each other's way. */
export class GroupClaims {
  readonly #claims = new Set<string>();

  /**
   * @returns gives the topics back
   * @throws LogError `group_in_use`.
   */
  take(group: string, topics: readonly string[]): () => void {
    const claims = topics.map((topic) => `${group}/${topic}`);
    const taken = topics.find((topic) => this.#claims.has(`${group}/${topic}`));
    if (taken !== undefined) {
      throw new LogError(
        'group_in_use',
        `Group ${group} already reads topic ${taken} of the embedded log, which has one partition. Use another group, or Kafka to share the load.`,
      );
    }
    for (const claim of claims) this.#claims.add(claim);
    return () => {
      for (const claim of claims.splice(0)) this.#claims.delete(claim);
    };
  }
}
