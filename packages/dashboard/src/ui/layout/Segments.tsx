import type { ReactNode } from 'react';

interface Props<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly text: ReactNode; readonly count?: number }[];
  readonly onChange: (value: Value) => void;
}

/** A choice of a few options, side by side. */
export function Segments<Value extends string>({ label, value, options, onChange }: Props<Value>) {
  return (
    <div
      className="p-0.5 inline-flex rounded-md bg-raise [&_button]:px-2.5 [&_button]:py-px [&_button]:min-h-6.5 [&_button]:rounded-[6px] [&_button]:text-sm [&_button]:font-550 [&_button]:text-ink2 [&_button]:whitespace-nowrap [&_small]:ml-1.25 [&_small]:text-xs [&_small]:text-ink3 [&_button]:hover:text-ink [&_button]:aria-pressed:bg-panel [&_button]:aria-pressed:text-ink [&_button]:aria-pressed:shadow-[0_0_0_1px_var(--color-line2)]"
      role="group"
      aria-label={label}
    >
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
