import type { ReactNode } from 'react';
import styles from './Segments.module.css';

interface Props<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly text: ReactNode; readonly count?: number }[];
  readonly onChange: (value: Value) => void;
}

/** A choice of a few options, side by side. */
export function Segments<Value extends string>({ label, value, options, onChange }: Props<Value>) {
  return (
    <div className={styles['segments']} role="group" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
        >
          {option.text}
          {option.count !== undefined && <small>{option.count}</small>}
        </button>
      ))}
    </div>
  );
}
