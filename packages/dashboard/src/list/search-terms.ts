import { nearest } from '@loopwatch/contract/internal';

/** Filters that can be typed, such as `agent:ci-fixer`. */
export interface TermFilters<Name extends string> {
  /** Name in the search box. */
  readonly shown: Readonly<Record<Name, string>>;
  /** Allowed values of filters with a closed set. */
  readonly allowed: Partial<Readonly<Record<Name, readonly string[] | undefined>>>;
}

/** Filter values by name, and free text. */
export type TermFilter<Name extends string> = { readonly [N in Name]?: readonly string[] | undefined } & {
  readonly q?: string | undefined;
};

/** Parsed search text: plain words, and terms such as `agent:ci-fixer` or `tool:"read file"` (a quote inside is doubled). */
export interface Terms<Name extends string> {
  readonly text: string;
  readonly terms: readonly { readonly name: Name; readonly value: string }[];
  /** Terms with a value that is not allowed. */
  readonly wrong: readonly string[];
  /** Words that are searched as text, although a filter with a similar name was probably meant. */
  readonly misspelled: readonly { readonly word: string; readonly meant: string }[];
}

export function readTerms<Name extends string>(filters: TermFilters<Name>, typed: string): Terms<Name> {
  const terms: { name: Name; value: string }[] = [];
  const wrong: string[] = [];
  const misspelled: { word: string; meant: string }[] = [];
  const text = typed.replace(
    /([a-z]+):(?:"((?:[^"]|"")*)"|(\S+))/gi,
    (whole, shown: string, quoted?: string, bare?: string) => {
      const name = nameOf(filters, shown);
      const value = quoted?.replaceAll('""', '"') ?? bare ?? '';
      if (name === undefined) {
        const meant = nearest(shown.toLowerCase(), Object.values(filters.shown));
        if (meant !== undefined) misspelled.push({ word: `${shown}:`, meant: `${meant}:` });
      }
      if (name === undefined || value === '') return whole;
      if (filters.allowed[name]?.includes(value) ?? true) terms.push({ name, value });
      else wrong.push(whole);
      return '';
    },
  );
  return { text: text.replace(/\s+/g, ' ').trim(), terms, wrong, misspelled };
}

/** The filter with the terms added; plain words replace the previous ones. */
export function addTerms<Name extends string, Filter extends TermFilter<Name>>(
  filter: Filter,
  { text, terms }: Pick<Terms<Name>, 'text' | 'terms'>,
): Filter {
  const next: Record<string, unknown> = { ...filter };
  if (text === '') delete next['q'];
  else next['q'] = text;
  for (const { name, value } of terms) {
    const values = (next[name] ?? []) as readonly string[];
    if (!values.includes(value)) next[name] = [...values, value];
  }
  return next as Filter;
}

function nameOf<Name extends string>({ shown }: TermFilters<Name>, word: string): Name | undefined {
  return (Object.keys(shown) as Name[]).find((name) => shown[name] === word.toLowerCase());
}

export interface Suggestion {
  /** Replaces the last word. */
  readonly insert: string;
  readonly text: string;
  /** Whether the term is complete, else a value must follow. */
  readonly whole: boolean;
}

const MAX = 9;

/** The word being typed, with its spaces if it is a quoted value. */
export const LAST_WORD = /(?:[a-z]+:"(?:[^"]|"")*|\S*)$/i;

/**
 * Completions of the last word.
 *
 * @param values known values of a filter without a closed set
 */
export function suggest<Name extends string>(
  filters: TermFilters<Name>,
  typed: string,
  values: (name: Name) => readonly string[],
): Suggestion[] {
  const word = LAST_WORD.exec(typed)?.[0] ?? '';
  const [shown = '', ...rest] = word.split(':');
  const name = nameOf(filters, shown);
  if (rest.length > 0 && name !== undefined) {
    const begun = rest.join(':').replace(/^"/, '').replaceAll('""', '"').toLowerCase();
    return (filters.allowed[name] ?? values(name))
      .filter((value) => value.toLowerCase().includes(begun))
      .slice(0, MAX)
      .map((value) => ({ insert: `${shown}:${quote(value)}`, text: value, whole: true }));
  }
  return Object.values<string>(filters.shown)
    .filter((candidate) => candidate !== 'cause' && candidate.startsWith(word.toLowerCase()))
    .map((candidate) => ({ insert: `${candidate}:`, text: `${candidate}:`, whole: false }));
}

function quote(value: string): string {
  return /\s|^"/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
