import { jsonFrom } from '@loopwatch/contract';
import type { SettingKey } from '@loopwatch/contract/api';
import { Button } from '../ui/controls/Button.tsx';
import { examples } from './examples.ts';
import styles from './SettingRow.module.css';

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

/** A map or a list as JSON, over the whole width, with an example to begin with. */
export function JsonField({ id, setting, text, disabled, invalid, onChange }: Props) {
  const shown = inLines(text);
  const example = examples[setting.path];
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
        <div className={styles['example']}>
          <span>
            Example <code>{JSON.stringify(example)}</code>
          </span>
          {isEmpty && !disabled && (
            <Button small onClick={() => onChange(JSON.stringify(example, null, 2))}>
              Insert the example
            </Button>
          )}
        </div>
      )}
    </>
  );
}

/** What is kept as one line is edited as several, until it is changed. */
function inLines(text: string): string {
  if (text.includes('\n') || text === '{}') return text;
  const value = jsonFrom(text);
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : text;
}
