import { type Filter, filterNames, type ListFilter, listFilterNames, listFilters } from './search.ts';

/** What is typed into the search box: plain words, and terms such as `agent:ci-fixer` or `tool:"read file"`. */
export interface Terms {
  readonly text: string;
  readonly terms: readonly { readonly name: ListFilter; readonly value: string }[];
  /** Terms whose value is none of the allowed ones. */
  readonly wrong: readonly string[];
}

const byShownName = new Map(listFilterNames.map((name) => [filterNames[name], name]));

export function readTerms(typed: string): Terms {
  const terms: { name: ListFilter; value: string }[] = [];
  const wrong: string[] = [];
  const text = typed.replace(
    /([a-z]+):(?:"([^"]*)"|(\S+))/gi,
    (whole, shown: string, quoted?: string, bare?: string) => {
      const name = byShownName.get(shown.toLowerCase());
      const value = quoted ?? bare ?? '';
      if (name === undefined || value === '') return whole;
      const allowed: readonly string[] | undefined = listFilters[name];
      if (allowed === undefined || allowed.includes(value)) terms.push({ name, value });
      else wrong.push(whole);
      return '';
    },
  );
  return { text: text.replace(/\s+/g, ' ').trim(), terms, wrong };
}

/** The filter with the terms added to it; the plain words replace those before. */
export function addTerms(filter: Filter, { text, terms }: Terms): Filter {
  const next: Record<string, unknown> = { ...filter };
  if (text === '') delete next['q'];
  else next['q'] = text;
  for (const { name, value } of terms) {
    const values = (next[name] ?? []) as readonly string[];
    if (!values.includes(value)) next[name] = [...values, value];
  }
  return next;
}

export interface Suggestion {
  /** What takes the place of the last word. */
  readonly insert: string;
  readonly text: string;
  /** Whether it is complete, rather than waiting for a value. */
  readonly whole: boolean;
}

const MAX = 9;

/**
 * What the last word could become.
 *
 * @param values seen values of a filter without a closed set
 */
export function suggest(typed: string, values: (name: ListFilter) => readonly string[]): Suggestion[] {
  const word = /\S*$/.exec(typed)?.[0] ?? '';
  const [shown = '', ...rest] = word.split(':');
  const name = byShownName.get(shown.toLowerCase());
  if (rest.length > 0 && name !== undefined) {
    const begun = rest.join(':').replace(/^"/, '').toLowerCase();
    return (listFilters[name] ?? values(name))
      .filter((value) => value.toLowerCase().includes(begun))
      .slice(0, MAX)
      .map((value) => ({ insert: `${shown}:${quote(value)}`, text: value, whole: true }));
  }
  return [...byShownName.keys()]
    .filter((candidate) => candidate !== 'cause' && candidate.startsWith(word.toLowerCase()))
    .map((candidate) => ({ insert: `${candidate}:`, text: `${candidate}:`, whole: false }));
}

function quote(value: string): string {
  return /\s/.test(value) ? `"${value}"` : value;
}
