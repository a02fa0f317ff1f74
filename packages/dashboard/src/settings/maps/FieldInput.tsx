import { type ComponentProps, useId, useState } from 'react';
import { labelOf } from '../value.ts';
import type { Field } from './schema.ts';

interface Props {
  readonly field: Field;
  readonly value: unknown;
  /** What the setting says about it. */
  readonly about: string;
  readonly problem: string | undefined;
  readonly disabled: boolean;
  /** @param value undefined: not set */
  readonly onChange: (value: unknown) => void;
}

const inputClass =
  'px-2.25 py-0.75 border border-line2 text-sm/[1.6] w-full min-h-7.5 rounded-md bg-bg text-ink font-mono font-450 aria-[invalid=true]:border-hot';

/** One value of an entry, with its problem beside it. */
export function FieldInput({ field, value, about, problem, disabled, onChange }: Props) {
  const id = useId();
  const common = {
    id,
    disabled,
    className: inputClass,
    'aria-invalid': problem !== undefined,
    'aria-describedby': `${id}-about`,
  };
  return (
    <div className="grid content-start gap-0.5 min-w-0">
      <label className="text-sm font-500" htmlFor={id}>
        {labelOf(field.key)}
      </label>
      {field.kind === 'boolean' || field.kind === 'choice' ? (
        <select
          {...common}
          value={textOf(value)}
          onChange={({ target }) => onChange(chosen(target.value, field.kind === 'boolean'))}
        >
          <option value="">default</option>
          {(field.kind === 'choice' ? field.choices : ['true', 'false']).map((one) => (
            <option key={one} value={one}>
              {field.kind === 'choice' ? one : one === 'true' ? 'yes' : 'no'}
            </option>
          ))}
        </select>
      ) : field.kind === 'lines' ? (
        <Lines common={common} value={value} onChange={onChange} />
      ) : (
        <input
          {...common}
          inputMode={field.kind === 'number' ? 'decimal' : undefined}
          placeholder={field.isRequired ? undefined : 'default'}
          value={value === null ? 'none' : textOf(value)}
          onChange={({ target }) =>
            onChange(field.kind === 'number' ? numberOf(target.value) : target.value || undefined)
          }
        />
      )}
      <small
        className="text-xs text-ink3 data-hot:text-hot"
        id={`${id}-about`}
        data-hot={problem !== undefined || undefined}
      >
        {problem ?? about}
        {problem === undefined && field.kind === 'lines' && ' One per line.'}
        {problem === undefined && field.kind === 'number' && field.isNullable && ' none: no limit.'}
      </small>
    </div>
  );
}

function chosen(text: string, isBoolean: boolean): unknown {
  if (text === '') return undefined;
  return isBoolean ? text === 'true' : text;
}

/** A text that is no number is kept, so that the schema says what is wrong with it. */
function numberOf(text: string): unknown {
  const given = text.trim();
  if (given === '') return undefined;
  if (given === 'none') return null;
  // While a number is typed, `1.` and `1.0` are no other text than they look like.
  return String(Number(given)) === given ? Number(given) : text;
}

function textOf(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

interface LinesProps {
  readonly common: ComponentProps<'textarea'>;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

/** A list of texts; empty lines are left out of it, but stay while one types. */
function Lines({ common, value, onChange }: LinesProps) {
  const given = Array.isArray(value) ? value.map(String).join('\n') : textOf(value);
  const [typed, setTyped] = useState(given);
  const text = linesOf(typed).join('\n') === given ? typed : given;
  return (
    <textarea
      {...common}
      rows={Math.min(8, Math.max(2, text.split('\n').length))}
      spellCheck={false}
      value={text}
      onChange={({ target }) => {
        setTyped(target.value);
        const lines = linesOf(target.value);
        onChange(lines.length === 0 ? undefined : lines);
      }}
    />
  );
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}
