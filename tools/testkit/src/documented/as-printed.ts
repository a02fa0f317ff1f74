/** What a printed text, shortened by `…`, stands for: `…`, with the part of a word before it, may be any text. */
export function printedPattern(text: string): RegExp {
  const parts = text.split(/[\w-]*…/).map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join(String.raw`[\s\S]*`)}$`);
}

/**
 * A value as a page prints it: only the printed keys, and the printed text where it stands for the value's. It equals what
 * is printed if the page is right.
 */
export function asPrinted(value: unknown, printed: unknown): unknown {
  if (typeof value === 'string' && typeof printed === 'string')
    return printedPattern(printed).test(value) ? printed : value;
  if (Array.isArray(value) && Array.isArray(printed))
    return value.map((one: unknown, at) => asPrinted(one, printed[at]));
  if (!isObject(value) || !isObject(printed)) return value;
  const keys = Object.keys(printed).filter((key) => Object.hasOwn(value, key));
  return Object.fromEntries(keys.map((key) => [key, asPrinted(value[key], printed[key])]));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
