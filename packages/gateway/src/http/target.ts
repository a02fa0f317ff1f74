/** Where requests go on to. */
export interface Target {
  readonly origin: string;
  /** The upstream's path for a request's path, query included. */
  path(requested: string): string;
}

/**
 * The upstream is named up to and with its `/v1`, as clients do with their base URL: what asks for `/v1/…` here asks for
 * what lies below that URL there. A URL without a path stands for `<url>/v1`. Other paths are taken beside `/v1`.
 */
export function targetOf(upstream: string): Target {
  const { origin, pathname } = new URL(upstream);
  const base = pathname.replace(/(?<!\/)\/+$/, '') || '/v1';
  const beside = base.endsWith('/v1') ? base.slice(0, -'/v1'.length) : base;
  return {
    origin,
    path(requested) {
      const below = /^\/v1(?=[/?]|$)/.test(requested);
      return below ? base + requested.slice('/v1'.length) : beside + requested;
    },
  };
}
