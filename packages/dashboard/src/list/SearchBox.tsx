import { useId, useRef, useState } from 'react';
import { useKeys } from '../lib/keys.ts';
import { Icon } from '../ui/lib/icons.tsx';
import {
  addTerms,
  LAST_WORD,
  readTerms,
  type Suggestion,
  suggest,
  type TermFilter,
  type TermFilters,
} from './search-terms.ts';

interface Props<Name extends string, Filter extends TermFilter<Name>> {
  /** What is listed, in plural. */
  readonly what: string;
  /** Says what it searches. */
  readonly placeholder: string;
  readonly filters: TermFilters<Name>;
  readonly filter: Filter;
  readonly onChange: (filter: Filter) => void;
  /** Values to suggest. */
  readonly values: (name: Name) => readonly string[];
}

/** Long enough to finish a word. */
const PAUSE_MS = 250;

/** Words search the texts; `name:value` becomes a filter chip. */
export function SearchBox<Name extends string, Filter extends TermFilter<Name>>({
  what,
  placeholder,
  filters,
  filter,
  onChange,
  values,
}: Props<Name, Filter>) {
  const list = useId();
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [typed, setTyped] = useState(filter.q ?? '');
  const [at, setAt] = useState(-1);
  const [open, setOpen] = useState(false);
  const [known, setKnown] = useState(filter.q);
  if (known !== filter.q) {
    // The URL changed by other means, such as Back or a chip.
    setKnown(filter.q);
    if (readTerms(filters, typed).text !== (filter.q ?? '')) setTyped(filter.q ?? '');
  }
  const suggestions = open ? suggest(filters, typed, values) : [];
  const { wrong, misspelled } = readTerms(filters, typed);
  const hints = [
    ...(wrong.length === 0 ? [] : [`Unknown value: ${wrong.join(', ')}`]),
    ...misspelled.map(({ word, meant }) => `${word} is searched as text. Did you mean ${meant}?`),
  ];
  useKeys({ search: () => input.current?.focus() });

  const apply = (text: string) => {
    clearTimeout(timer.current);
    const terms = readTerms(filters, text);
    onChange(addTerms(filter, terms));
    setTyped([terms.text, ...terms.wrong].join(' ').trim());
    setAt(-1);
    setOpen(false);
  };
  const type = (text: string) => {
    setTyped(text);
    setAt(-1);
    setOpen(true);
    clearTimeout(timer.current);
    // Terms apply on Enter, because a partial term is not meaningful yet.
    if (!/\S:\S*$/.test(text)) {
      timer.current = setTimeout(
        () => onChange({ ...addTerms(filter, { ...readTerms(filters, text), terms: [] }) }),
        PAUSE_MS,
      );
    }
  };
  const take = ({ insert, whole }: Suggestion) => {
    const text = typed.replace(LAST_WORD, () => insert);
    if (whole) apply(text);
    else setTyped(text);
    setAt(-1);
    input.current?.focus();
  };
  return (
    <div
      className="group/search pr-2 pl-2.5 border border-line2 relative flex items-center gap-2 flex-[1_1_260px] min-w-0 max-w-115 h-8 rounded-md bg-panel text-ink3 max-sm:max-w-none max-sm:basis-full focus-within:outline-2 focus-within:outline-accent focus-within:-outline-offset-1"
      role="search"
    >
      <Icon name="search" size={14} />
      <input
        className="border-0 outline-none flex-1 h-full bg-transparent text-ink appearance-none [&::-webkit-search-cancel-button]:hidden"
        ref={input}
        type="search"
        role="combobox"
        aria-label={`Search ${what}`}
        aria-expanded={suggestions.length > 0}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={at >= 0 ? `${list}-${String(at)}` : undefined}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onChange={(event) => type(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
            event.preventDefault();
            setOpen(true);
            const step = event.key === 'ArrowDown' ? 1 : -1;
            setAt(Math.max(-1, Math.min(suggestions.length - 1, at + step)));
          } else if (event.key === 'Enter') {
            const chosen = suggestions[at];
            if (chosen === undefined) apply(typed);
            else take(chosen);
          } else if (event.key === 'Escape') {
            if (typed === '') input.current?.blur();
            else apply('');
          }
        }}
      />
      <kbd className="max-sm:hidden" aria-hidden="true">
        /
      </kbd>
      <ul
        id={list}
        className="floating p-1.25 absolute z-4 top-[calc(100%_+_4px)] left-0 min-w-50 max-w-full max-h-80 overflow-auto"
        role="listbox"
        aria-label="Suggestions"
        hidden={suggestions.length === 0}
      >
        {suggestions.map((suggestion, index) => (
          <li
            key={suggestion.insert}
            className="truncate px-2.25 py-1 text-sm/[1.6] rounded-[6px] text-ink font-mono font-450 cursor-pointer hover:bg-accent-soft aria-selected:bg-accent-soft"
            id={`${list}-${String(index)}`}
            role="option"
            aria-selected={index === at}
            // Runs before the field loses focus.
            onPointerDown={(event) => {
              event.preventDefault();
              take(suggestion);
            }}
          >
            {suggestion.text}
          </li>
        ))}
      </ul>
      {hints.length > 0 && suggestions.length === 0 && (
        <p
          role="alert"
          className="px-2 py-0.5 absolute z-4 top-[calc(100%_+_4px)] left-0 hidden rounded-sm bg-warm-soft text-warm text-sm group-focus-within/search:block"
        >
          {hints.join(' ')}
        </p>
      )}
    </div>
  );
}
