/** A time for people, to the second: `2026-11-29 08:11:54 UTC`. @param time epoch ms */
export function utcText(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
