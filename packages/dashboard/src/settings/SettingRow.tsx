import type { EffectiveSetting, SettingKey } from '@loopwatch/contract/api';
import { useId } from 'react';
import { Button } from '../ui/controls/Button.tsx';
import { Segments } from '../ui/layout/Segments.tsx';
import { Icon } from '../ui/lib/icons.tsx';
import { MapField } from './maps/MapField.tsx';
import { labelOf, scopeName, textOf } from './value.ts';

interface Props {
  readonly setting: SettingKey;
  readonly effective: EffectiveSetting | undefined;
  /** Whether this scope sets it. */
  readonly isSet: boolean;
  /** The unsaved text; null: to be reset; undefined: unchanged. */
  readonly draft: string | null | undefined;
  readonly error: string | undefined;
  readonly disabled: boolean;
  readonly onChange: (text: string | null | undefined) => void;
}

/** One setting: its description, effective value and origin, and a field to change it. */
export function SettingRow({ setting, effective, isSet, draft, error, disabled, onChange }: Props) {
  const id = useId();
  const current = textOf(effective?.value);
  const text = draft ?? current;
  const name = setting.path.split('.').slice(1).join('.') || setting.path;
  const set = (next: string) => onChange(next === current && !(draft === null) ? undefined : next);
  const isJson = setting.type === 'list' || setting.type === 'map';
  return (
    <li
      // A map is the only setting of its section, which has this name.
      id={setting.type === 'map' && !setting.path.includes('.') ? undefined : setting.path}
      className="scroll-mt-4 px-4 py-2.5 grid grid-cols-[minmax(0,1fr)_210px_170px] items-start gap-4 border-t @max-[860px]/page:grid-cols-[minmax(0,1fr)_auto] @max-[860px]/page:gap-x-3 @max-[860px]/page:gap-y-2 data-changed:bg-accent-soft"
      data-changed={draft !== undefined || undefined}
      data-wide={isJson || undefined}
    >
      <div className="@max-[860px]/page:col-span-full">
        <label htmlFor={setting.type === 'boolean' ? undefined : id}>
          {labelOf(name)}{' '}
          <code className="text-sm/[1.6] font-mono font-550" title={setting.path}>
            {name}
          </code>
        </label>
        <p className="max-w-[68ch] text-sm text-ink2" id={`${id}-about`}>
          {setting.description}
        </p>
      </div>
      <div className="[&_textarea]:px-2.25 [&_textarea]:py-0.75 [&_textarea]:border [&_textarea]:border-line2 [&_textarea]:text-sm/[1.6] [&_textarea]:w-full [&_textarea]:min-h-7.5 [&_textarea]:rounded-md [&_textarea]:bg-bg [&_textarea]:text-ink [&_textarea]:font-mono [&_textarea]:font-450 [&_textarea]:resize-y [&_small]:mt-0.5 [&_small]:block [&_small]:text-xs [&_small]:text-ink3 [&_[aria-invalid=true]]:border-hot [&_small]:data-hot:text-hot in-data-wide:col-span-full in-data-wide:row-2 @max-[860px]/page:in-data-wide:row-auto">
        {setting.type === 'boolean' ? (
          <Segments
            label={setting.path}
            value={text === 'true' ? 'true' : text === 'false' ? 'false' : ''}
            options={[
              { value: 'true', text: 'On' },
              { value: 'false', text: 'Off' },
            ]}
            onChange={(value) => !disabled && set(value)}
          />
        ) : setting.type === 'choice' ? (
          <select
            className="px-2.25 py-0.75 border border-line2 text-sm/[1.6] w-full min-h-7.5 rounded-md bg-bg text-ink font-mono font-450 resize-y"
            id={id}
            value={text}
            disabled={disabled}
            aria-describedby={`${id}-about`}
            onChange={(event) => set(event.target.value)}
          >
            {text === '' && <option value="">not set</option>}
            {setting.choices?.map((choice) => (
              <option key={choice}>{choice}</option>
            ))}
          </select>
        ) : isJson ? (
          <MapField
            id={id}
            setting={setting}
            text={text}
            disabled={disabled}
            problem={error}
            onChange={set}
          />
        ) : (
          <input
            className="px-2.25 py-0.75 border border-line2 text-sm/[1.6] w-full min-h-7.5 rounded-md bg-bg text-ink font-mono font-450 resize-y"
            id={id}
            inputMode={setting.type === 'text' ? undefined : 'decimal'}
            value={text}
            disabled={disabled}
            placeholder={setting.nullable ? 'no limit' : 'not set'}
            aria-describedby={`${id}-about`}
            aria-invalid={error !== undefined}
            onChange={(event) => set(event.target.value)}
          />
        )}
        {error === undefined ? (
          <small>{hintOf(setting)}</small>
        ) : (
          !isJson && <small data-hot>{problemOf(setting)}</small>
        )}
        {effective?.note !== undefined && draft === undefined && <small>no effect: {effective.note}</small>}
      </div>
      <div className="flex items-center justify-between gap-2 min-h-7.5 text-sm text-ink3 @max-[860px]/page:justify-end @max-[860px]/page:max-w-37.5 [&_span]:truncate [&_[data-tier=here]]:text-accent [&_[data-tier=here]]:font-550 [&_[data-tier=draft]]:text-accent [&_[data-tier=draft]]:font-550 in-data-wide:col-3 @max-[860px]/page:in-data-wide:col-span-full">
        {draft === undefined ? (
          <Origin effective={effective} isSet={isSet} />
        ) : (
          <span data-tier="draft">{draft === null ? 'will be reset' : 'changed'}</span>
        )}
        {draft !== undefined ? (
          <Button
            quiet
            icon
            small
            onClick={() => onChange(undefined)}
            aria-label={`Discard the change to ${setting.path}`}
          >
            <Icon name="undo" size={13} />
          </Button>
        ) : (
          isSet &&
          !disabled && (
            <Button
              quiet
              icon
              small
              onClick={() => onChange(null)}
              aria-label={`Reset ${setting.path} to the inherited value`}
              title="Reset to inherited value"
            >
              <Icon name="reset" size={13} />
            </Button>
          )
        )}
      </div>
    </li>
  );
}

/** What may be entered, where the field does not show it. */
function hintOf({ type, allowed }: SettingKey): string {
  return type === 'boolean' || type === 'choice' || type === 'map' ? '' : allowed;
}

/** Why the text is invalid. */
function problemOf({ allowed }: SettingKey): string {
  return `expected ${allowed}`;
}

const tiers: Record<EffectiveSetting['origin']['tier'], string> = {
  default: 'default',
  preset: 'preset',
  file: 'file',
  environment: 'environment',
  flag: 'flag',
  server: 'server',
  model: 'model',
  session: 'session',
};

function Origin({
  effective,
  isSet,
}: {
  readonly effective: EffectiveSetting | undefined;
  readonly isSet: boolean;
}) {
  if (effective === undefined) return <span>unknown</span>;
  if (isSet) return <span data-tier="here">set here</span>;
  const { tier, name } = effective.origin;
  const shown = name === null || name === tier ? tiers[tier] : `${tiers[tier]} ${scopeName(name) || name}`;
  return (
    <span data-tier={tier} title={shown}>
      {shown}
    </span>
  );
}
