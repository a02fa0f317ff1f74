import { Transform } from 'node:stream';
import { oneLine } from '@loopwatch/detectors';
import type { Logger } from 'pino';
import { judgedPaths } from '../api/apis.ts';
import { plainPath } from '../http/request-path.ts';
import type { GatewayMetrics } from '../metrics.ts';

/** Upper bounds of what is logged: clients choose the paths. */
const MAX_LOGGED_PATHS = 1_000;
const MAX_PATH_UNITS = 200;

/** Why a request is forwarded unjudged. */
export type UnjudgedReason = 'path' | 'encoded' | 'malformed';

const explanations: Readonly<Record<UnjudgedReason, string>> = {
  path: `the gateway knows no API at this path. Use a path that ends in ${judgedPaths.join(', ')} to have it judged`,
  encoded:
    'its content encoding is not supported, or its body is too large when decompressed. Send it uncompressed to have it judged',
  malformed: 'its body is not a valid request of the API at this path',
};

/** Counts requests that are forwarded unjudged, and logs each path and reason once. */
export class UnjudgedRequests {
  readonly #metrics: Pick<GatewayMetrics, 'unjudged'>;
  readonly #logger: Logger;
  readonly #logged = new Set<string>();

  constructor(metrics: Pick<GatewayMetrics, 'unjudged'>, logger: Logger) {
    this.#metrics = metrics;
    this.#logger = logger;
  }

  note(path: string, reason: UnjudgedReason): void {
    this.#metrics.unjudged.inc({ reason });
    const plain = oneLine(plainPath(path).slice(0, MAX_PATH_UNITS));
    const key = `${reason} ${plain}`;
    if (this.#logged.has(key) || this.#logged.size >= MAX_LOGGED_PATHS) return;
    this.#logged.add(key);
    this.#logger.warn(
      { path: plain, reason },
      `Passed a request to ${plain} through unjudged: ${explanations[reason]}`,
    );
  }
}

const MAX_KEY_UNITS = 64;
const promptKey = /"(?:messages|input|contents)"\s*:/;

/** Forwards a body unchanged. @param onPrompt called once if the body has a key that requests to models have */
export function scanForPrompt(onPrompt: () => void): Transform {
  let tail = '';
  let isFound = false;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (!isFound) {
        const text = tail + chunk.toString('latin1');
        isFound = promptKey.test(text);
        if (isFound) onPrompt();
        tail = text.slice(-MAX_KEY_UNITS);
      }
      done(null, chunk);
    },
  });
}
