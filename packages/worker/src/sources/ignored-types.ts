import { oneLine } from '@loopwatch/detectors';
import type { Logger } from 'pino';

/** Types that are told of, all topics together: producers choose their names. */
const maxTypes = 100;

/** Says once of each type of record that it is ignored, so that a source that is misread does not look well. */
export class IgnoredTypes {
  readonly #logger: Logger;
  readonly #told = new Set<string>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  note(topic: string, types: Iterable<string>): void {
    for (const type of types) {
      if (this.#told.size >= maxTypes) return;
      const name = JSON.stringify([topic, type]);
      if (this.#told.has(name)) continue;
      this.#told.add(name);
      this.#logger.info(
        { topic, type },
        oneLine(`Ignoring "${type}" of ${topic}: it says nothing of loops; this is logged once`),
      );
    }
  }
}
