/** `2026-11-30`, `2026-11-30T10:00`, `2026-11-30 10:00:00.5+02:00` */
const isoTime = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?)?$/i;

/**
 * Epoch ms of a date or date-time in ISO 8601; without an offset it is UTC. `Date.parse` takes more for a time than anyone means:
 * `7` and `last 7` are July 2001, and February 30 is in March.
 *
 * @returns undefined for any other text
 */
export function timeFromText(text: string): number | undefined {
  const [, day = '', clock = '00:00', offset = 'Z'] = isoTime.exec(text) ?? [];
  const midnight = Date.parse(`${day}T00:00Z`);
  const time = Date.parse(`${day}T${clock}${offset.toUpperCase()}`);
  if (Number.isNaN(midnight) || Number.isNaN(time)) return undefined;
  return new Date(midnight).toISOString().startsWith(day) ? time : undefined;
}
