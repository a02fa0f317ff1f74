import { Transform } from 'node:stream';
import { oneLine } from '@loopwatch/detectors/internal';
import type { Logger } from 'pino';
import { judgedPaths } from '../api/apis.ts';
import { plainPath } from '../http/request-path.ts';
import type { GatewayMetrics } from '../metrics.ts';

/** Upper bounds of what is logged: clients choose the paths. */
const MAX_LOGGED_PATHS = 1_000;
const MAX_PATH_UNITS = 200;

/** Why a request is forwarded unjudged. */
export type UnjudgedReason = 'path' | 'encoded' | 'malformed' | 'background' | 'call';

const explanations: Readonly<Record<UnjudgedReason, string>> = {
  path: `the gateway knows no API at this path. Use a path that ends in ${judgedPaths.join(', ')} to have it judged`,
  encoded:
    'its content encoding is not supported, or its body is too large when decompressed. Send it uncompressed to have it judged',
  malformed: 'its body is not a valid request of the API at this path',
  background:
    'its reply was made in the background, and is streamed or of a session that has left memory. Fetch it as JSON to have it judged',
  call: 'it has no input that the gateway knows',
};

/** Counts requests and calls that are forwarded unjudged, and logs each path, or type of a call, and reason once. */
export class UnjudgedRequests {
  readonly #metrics: Pick<GatewayMetrics, 'unjudged'>;
  readonly #logger: Logger;
  readonly #logged = new Set<string>();

  constructor(metrics: Pick<GatewayMetrics, 'unjudged'>, logger: Logger) {
    this.#metrics = metrics;
    this.#logger = logger;
  }

  /** @param types of calls in a reply that have no input to judge them by */
  noteCalls(types: readonly string[] = []): void {
    for (const type of types) this.note(type, 'call');
  }

  note(path: string, reason: UnjudgedReason): void {
    this.#metrics.unjudged.inc({ reason });
    const plain = oneLine(plainPath(path).slice(0, MAX_PATH_UNITS));
    const key = `${reason} ${plain}`;
    if (this.#logged.has(key) || this.#logged.size >= MAX_LOGGED_PATHS) return;
    this.#logged.add(key);
    this.#logger.warn(
      { path: plain, reason },
      `Passed a ${reason === 'call' ? 'call of type' : 'request to'} ${plain} through unjudged: ${explanations[reason]}`,
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
