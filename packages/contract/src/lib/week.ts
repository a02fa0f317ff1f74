/* Weeks as in ISO 8601: they start on Monday, 00:00 UTC, and the first one of a year contains its first Thursday. */

const DAY = 86_400_000;
const WEEK = 7 * DAY;

/** Monday is 0. */
function dayOfWeek(time: number): number {
  return (new Date(time).getUTCDay() + 6) % 7;
}

/** @returns the name of the week of a time, such as `2026-W48` */
export function weekOf(time: number): string {
  const thursday = new Date(time - (dayOfWeek(time) - 3) * DAY);
  const year = thursday.getUTCFullYear();
  const number = Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / WEEK) + 1;
  return `${String(year)}-W${String(number).padStart(2, '0')}`;
}

/** @returns start and end of a week, epoch ms; undefined if there is none of that name */
export function weekRange(week: string): { readonly from: number; readonly to: number } | undefined {
  const [, year, number] = /^(\d{4})-W(\d\d)$/.exec(week) ?? [];
  if (year === undefined || number === undefined) return undefined;
  const fourth = Date.UTC(Number(year), 0, 4);
  const from = fourth - dayOfWeek(fourth) * DAY + (Number(number) - 1) * WEEK;
  return weekOf(from) === week ? { from, to: from + WEEK } : undefined;
}

/** The week before, or after. */
export function nextWeek(week: string, step: 1 | -1): string {
  return weekOf((weekRange(week)?.from ?? 0) + step * WEEK);
}
