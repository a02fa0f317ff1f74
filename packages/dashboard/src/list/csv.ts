/** Columns of a file by name, in order. */
export type CsvColumns<Item> = Readonly<Record<string, (item: Item) => string | number | null>>;

/** RFC 4180. Texts come from agents, so what a spreadsheet would read as a formula gets a leading quote. */
export function toCsv<Item>(columns: CsvColumns<Item>, items: readonly Item[]): string {
  const names = Object.keys(columns);
  const lines = items.map((item) => names.map((name) => cell(columns[name]?.(item) ?? null)).join(','));
  return `${[names.join(','), ...lines].join('\r\n')}\r\n`;
}

/**
 * Where a formula can begin: also after what separates cells in other countries and when pasted, because such a spreadsheet does
 * not recognize our quotes. East Asian ones read wide characters like narrow ones.
 */
const FORMULA = /(^|[;|\t\r\n])( {0,9}[=+\-@＝＋－＠])/g;
const CONTROL = /^[\t\r\n\0\ufeff]/;

function cell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const inert = value.replace(FORMULA, "$1'$2");
  const safe = CONTROL.test(inert) ? `'${inert}` : inert;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
