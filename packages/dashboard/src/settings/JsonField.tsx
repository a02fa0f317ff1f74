import { jsonFrom } from '@loopwatch/contract';
import type { SettingKey } from '@loopwatch/contract/api';
import { Button } from '../ui/controls/Button.tsx';
import { jsonExamples } from './value.ts';

const MIN_ROWS = 3;
const MAX_ROWS = 20;

interface Props {
  readonly id: string;
  readonly setting: SettingKey;
  readonly text: string;
  readonly disabled: boolean;
  readonly invalid: boolean;
  readonly onChange: (text: string) => void;
}

/** A map or list as JSON, with an example to start from. */
export function JsonField({ id, setting, text, disabled, invalid, onChange }: Props) {
  const shown = indentJson(text);
  const example = jsonExamples[setting.path];
  const isEmpty = text.trim() === '' || text.trim() === '{}';
  return (
    <>
      <textarea
        id={id}
        rows={Math.min(MAX_ROWS, Math.max(MIN_ROWS, shown.split('\n').length))}
        value={shown}
        disabled={disabled}
        spellCheck={false}
        aria-describedby={`${id}-about`}
        aria-invalid={invalid}
        onChange={(event) => onChange(event.target.value)}
      />
      {example !== undefined && (
        <div className="mt-1 flex flex-wrap items-center justify-between gap-2 text-sm text-ink3">
          <span>
            Example{' '}
            <code className="text-sm/[1.6] font-mono font-450 text-ink2 wrap-anywhere">
              {JSON.stringify(example)}
            </code>
          </span>
          {isEmpty && !disabled && (
            <Button small onClick={() => onChange(JSON.stringify(example, null, 2))}>
              Insert example
            </Button>
          )}
        </div>
      )}
    </>
  );
}

/** Indents JSON on a single line. */
function indentJson(text: string): string {
  if (text.includes('\n') || text === '{}') return text;
  const value = jsonFrom(text);
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : text;
}
