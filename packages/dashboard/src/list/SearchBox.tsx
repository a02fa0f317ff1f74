import { useId, useRef, useState } from 'react';
import { useKeys } from '../lib/keys.ts';
import { Icon } from '../ui/lib/icons.tsx';
import styles from './SearchBox.module.css';
import {
  addTerms,
  readTerms,
  type Suggestion,
  suggest,
  type TermFilter,
  type TermFilters,
} from './search-terms.ts';

interface Props<Name extends string, Filter extends TermFilter<Name>> {
  /** What is listed, in plural. */
  readonly what: string;
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
  const [focused, setFocused] = useState(false);
  const [known, setKnown] = useState(filter.q);
  if (known !== filter.q) {
    // The URL changed by other means, such as Back or a chip.
    setKnown(filter.q);
    if (readTerms(filters, typed).text !== (filter.q ?? '')) setTyped(filter.q ?? '');
  }
  const suggestions = focused ? suggest(filters, typed, values) : [];
  const { wrong } = readTerms(filters, typed);
  useKeys({ search: () => input.current?.focus() });

  const apply = (text: string) => {
    clearTimeout(timer.current);
    const terms = readTerms(filters, text);
    onChange(addTerms(filter, terms));
    setTyped([terms.text, ...terms.wrong].join(' ').trim());
    setAt(-1);
  };
  const type = (text: string) => {
    setTyped(text);
    setAt(-1);
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
    const text = typed.replace(/\S*$/, insert);
    if (whole) apply(text);
    else setTyped(text);
    setAt(-1);
    input.current?.focus();
  };
  return (
    <div className={styles['box']} role="search">
      <Icon name="search" size={14} />
      <input
        ref={input}
        type="search"
        role="combobox"
        aria-label={`Search ${what}`}
        aria-expanded={suggestions.length > 0}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={at >= 0 ? `${list}-${String(at)}` : undefined}
        placeholder="Search, or agent:name, tool:name…"
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onFocus={() => setFocused(true)}
        onBlur={() => setFocused(false)}
        onChange={(event) => type(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
            event.preventDefault();
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
      <kbd aria-hidden="true">/</kbd>
      <ul
        id={list}
        className={styles['list']}
        role="listbox"
        aria-label="Suggestions"
        hidden={suggestions.length === 0}
      >
        {suggestions.map((suggestion, index) => (
          <li
            key={suggestion.insert}
            className="truncate"
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
      {wrong.length > 0 && (
        <p role="alert" className={styles['wrong']}>
          Unknown value: {wrong.join(', ')}
        </p>
      )}
    </div>
  );
}
