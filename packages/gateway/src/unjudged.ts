import { oneLine } from '@loopwatch/detectors';
import type { Logger } from 'pino';
import { judgedPaths } from './api/apis.ts';
import { plainPath } from './http/request-path.ts';
import type { GatewayMetrics } from './metrics.ts';

/** Paths that are told of, at most: the log must not grow with what clients make up. */
const MAX_TOLD = 1_000;
const MAX_PATH_UNITS = 200;

/** Why a request goes on without a look. */
export type UnjudgedRequest = 'path' | 'encoded' | 'malformed';

const remedies: Readonly<Record<UnjudgedRequest, string>> = {
  path: `its path is of no API that the gateway knows. To have it judged, let the client use one that ends in ${judgedPaths.join(', ')}`,
  encoded:
    'its body is compressed in a way that the gateway cannot read, or is too large when decompressed. To have it judged, let the client send it uncompressed',
  malformed:
    'its body is not a valid request of the API that its path names. To have it judged, correct what the client sends',
};

/** Requests that go on without being judged: each is counted, and told of once by path and reason. */
export class UnjudgedRequests {
  private readonly metrics: Pick<GatewayMetrics, 'unjudged'>;
  private readonly logger: Logger;
  private readonly told = new Set<string>();

  constructor(metrics: Pick<GatewayMetrics, 'unjudged'>, logger: Logger) {
    this.metrics = metrics;
    this.logger = logger;
  }

  note(path: string, reason: UnjudgedRequest): void {
    this.metrics.unjudged.inc({ reason });
    const plain = oneLine(plainPath(path).slice(0, MAX_PATH_UNITS));
    const key = `${reason} ${plain}`;
    if (this.told.has(key) || this.told.size >= MAX_TOLD) return;
    this.told.add(key);
    this.logger.warn(
      { path: plain, reason },
      `A request to ${plain} went on without being judged: ${remedies[reason]}`,
    );
  }
}
