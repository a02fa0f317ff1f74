/** `.` or `..` as a segment, also in the spellings that some servers decode before they resolve it. */
const dotSegment = /(?:[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?:[/\\?]|%2f|%5c|$)/i;
const absolute = /^https?:\/\/[^/?]*/i;

/**
 * The path that a request asks for, query included: of an absolute form (`POST http://host/v1/…`) what follows the host.
 *
 * @returns undefined for a path with dot segments, which could lead out of the upstream's path
 */
export function requestPath(target: string): string | undefined {
  const rest = target.replace(absolute, '');
  const path = rest === target || rest.startsWith('/') ? rest : `/${rest}`;
  const [pure = ''] = path.split('?', 1);
  return dotSegment.test(pure) ? undefined : path;
}

/** A path for comparison: without its query, with single slashes, decoded, in lower case. */
export function plainPath(path: string): string {
  const [pure = ''] = path.split('?', 1);
  return decoded(pure)
    .toLowerCase()
    .replace(/\/+/g, '/')
    .replace(/(?<=.)\/$/, '');
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
