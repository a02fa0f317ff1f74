/**
 * The id of a session as a segment of a path, before it is percent-encoded. Clients fold the segments `.` and `..` away,
 * however they are encoded, so a `~` stands before such an id, and before one that would look like it.
 */
export function toSegment(id: string): string {
  return id.replace(/^(?=~*\.{1,2}$)/, '~');
}

/** The inverse of {@link toSegment}. */
export function fromSegment(segment: string): string {
  return segment.replace(/^~(?=~*\.{1,2}$)/, '');
}

/** The path of a session in the API and the dashboard. */
export function sessionPath(id: string): string {
  return `/sessions/${encodeURIComponent(toSegment(id))}`;
}
