/** `.` or `..` as a segment, including encodings that some servers decode before they resolve the path. */
const dotSegment = /(?:[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?:[/\\?]|%2f|%5c|$)/i;
const absolute = /^https?:\/\/[^/?]*/i;

/**
 * The path of a request target with its query; of an absolute form (`POST http://host/v1/…`), the part after the host.
 *
 * @returns undefined for a path with dot segments, which could leave the upstream's path
 */
export function requestPath(target: string): string | undefined {
  const rest = target.replace(absolute, '');
  const path = rest === target || rest.startsWith('/') ? rest : `/${rest}`;
  const [pure = ''] = path.split('?', 1);
  return dotSegment.test(pure) ? undefined : path;
}

/** A normalized path for comparison: no query, single slashes, decoded, lower case. */
export function plainPath(path: string): string {
  return decodedPath(path)
    .toLowerCase()
    .replace(/\/+/g, '/')
    .replace(/(?<=.)\/$/, '');
}

/** The path without its query, decoded; as it is if it cannot be. */
export function decodedPath(path: string): string {
  const [pure = ''] = path.split('?', 1);
  try {
    return decodeURIComponent(pure);
  } catch {
    return pure;
  }
}

/** Where requests are forwarded to. */
export interface Target {
  readonly origin: string;
  /** The upstream's path for a requested path, with its query. */
  path(requested: string): string;
}

/**
 * The upstream URL includes its `/v1`, as base URLs of clients do: `/v1/…` maps to paths below that URL. A URL without a
 * path stands for `<url>/v1`. Other paths map to siblings of `/v1`.
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
