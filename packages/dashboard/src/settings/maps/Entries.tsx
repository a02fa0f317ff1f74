import { settingText } from '@loopwatch/contract/internal';
import { type KeyboardEvent, useId, useState } from 'react';
import { omit } from '../../lib/omit.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { Button } from '../../ui/controls/Button.tsx';
import { labelOf } from '../value.ts';
import { FieldInput } from './FieldInput.tsx';
import { type Problem, problemAt } from './problems.ts';
import type { Field } from './schema.ts';

type Values = Readonly<Record<string, unknown>>;

interface Place {
  /** The setting. */
  readonly path: string;
  /** The keys that lead from the setting to these values. */
  readonly at: readonly string[];
  readonly problems: readonly Problem[];
  readonly disabled: boolean;
  /** Names that the data has, by what is named: `tool`. */
  readonly known: (what: string) => readonly string[];
}

interface EntriesProps extends Place {
  readonly fields: readonly Field[];
  readonly entries: Values;
  /** What an entry is about: `tool`. */
  readonly what: string;
  readonly onChange: (entries: Values) => void;
}

/** The entries of a map, each with its fields, and a field to add one. */
export function Entries({ fields, entries, what, onChange, ...place }: EntriesProps) {
  // A block may have keys of its own beside its entries.
  const shown = Object.entries(entries).filter(([, value]) => isBlock(value));
  return (
    <div className="grid gap-2 min-w-0">
      {shown.map(([name, value]) => {
        const at = [...place.at, name];
        const problem = problemAt(place.problems, at, false);
        return (
          <fieldset key={name} className="px-3 pt-1 pb-3 border rounded-md min-w-0">
            <legend className="px-1 max-w-full font-mono text-sm font-550 wrap-anywhere">
              {visibleText(name)}
            </legend>
            {problem !== undefined && <p className="text-sm text-hot">{problem}</p>}
            <Fields
              {...place}
              at={at}
              fields={fields}
              values={value as Values}
              onChange={(next) => onChange({ ...entries, [name]: next })}
            />
            {!place.disabled && (
              <div className="mt-2">
                <Button
                  small
                  quiet
                  aria-label={`Remove ${name}`}
                  onClick={() => onChange(omit(entries, name))}
                >
                  Remove
                </Button>
              </div>
            )}
          </fieldset>
        );
      })}
      {!place.disabled && (
        <NewEntry
          what={what}
          known={place.known(what).filter((name) => !Object.hasOwn(entries, name))}
          taken={(name) => Object.hasOwn(entries, name)}
          onAdd={(name) => onChange({ ...entries, [name]: {} })}
        />
      )}
    </div>
  );
}

interface FieldsProps extends Place {
  readonly fields: readonly Field[];
  readonly values: Values;
  readonly onChange: (values: Values) => void;
}

function Fields({ fields, values, onChange, ...place }: FieldsProps) {
  const set = (key: string, value: unknown) =>
    onChange(value === undefined ? omit(values, key) : { ...values, [key]: value });
  return (
    <div className="grid gap-x-3 gap-y-2 min-w-0 grid-cols-[repeat(auto-fill,minmax(min(100%,190px),1fr))]">
      {fields.map((field) => {
        const { key } = field;
        const value = values[key];
        const at = [...place.at, key];
        if (field.kind === 'map' || field.kind === 'block') {
          const inner = isBlock(value) ? (value as Values) : {};
          const change = (next: Values) => set(key, Object.keys(next).length === 0 ? undefined : next);
          return (
            <fieldset key={key} className="px-0 pt-1 pb-0 border-0 grid gap-2 min-w-0 col-span-full">
              <legend className="text-sm font-500">{labelOf(key)}</legend>
              {field.kind === 'map' ? (
                <Entries
                  {...place}
                  at={at}
                  fields={field.fields}
                  entries={inner}
                  what="tool"
                  onChange={change}
                />
              ) : (
                <Fields {...place} at={at} fields={field.fields} values={inner} onChange={change} />
              )}
            </fieldset>
          );
        }
        return (
          <FieldInput
            key={key}
            field={field}
            value={value}
            about={settingText([place.path, ...at].join('.'))}
            problem={problemAt(place.problems, at, true)}
            disabled={place.disabled}
            onChange={(next) => set(key, next)}
          />
        );
      })}
    </div>
  );
}

interface NewEntryProps {
  readonly what: string;
  readonly known: readonly string[];
  readonly taken: (name: string) => boolean;
  readonly onAdd: (name: string) => void;
}

/** Not a form: it stands within the settings, and Enter must not save them. */
function NewEntry({ what, known, taken, onAdd }: NewEntryProps) {
  const id = useId();
  const [name, setName] = useState('');
  const given = name.trim();
  const isTaken = taken(given);
  const add = () => {
    if (given === '' || isTaken) return;
    onAdd(given);
    setName('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    add();
  };
  return (
    <div className="flex flex-wrap items-center gap-2">
      <label className="text-sm text-ink2" htmlFor={id}>
        New {what}
      </label>
      <input
        className="field min-w-0 max-w-full w-60 font-mono text-sm aria-[invalid=true]:border-hot"
        id={id}
        list={`${id}-known`}
        value={name}
        autoComplete="off"
        spellCheck={false}
        placeholder="name"
        aria-invalid={isTaken}
        aria-describedby={isTaken ? `${id}-taken` : undefined}
        onChange={({ target }) => setName(target.value)}
        onKeyDown={onKeyDown}
      />
      <datalist id={`${id}-known`}>
        {known.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <Button small disabled={given === '' || isTaken} onClick={add}>
        Add
      </Button>
      {isTaken && (
        <small id={`${id}-taken`} className="text-xs text-hot">
          {given} is listed already
        </small>
      )}
    </div>
  );
}

function isBlock(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
