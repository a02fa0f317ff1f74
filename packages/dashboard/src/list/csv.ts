/** Columns of a file by name, in order. */
export type CsvColumns<Item> = Readonly<Record<string, (item: Item) => string | number | null>>;

/** RFC 4180. Texts come from agents, so one that a spreadsheet would read as a formula gets a leading quote. */
export function toCsv<Item>(columns: CsvColumns<Item>, items: readonly Item[]): string {
  const names = Object.keys(columns);
  const lines = items.map((item) => names.map((name) => cell(columns[name]?.(item) ?? null)).join(','));
  return `${[names.join(','), ...lines].join('\r\n')}\r\n`;
}

function cell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
