import type { EffectiveSetting, SettingKey } from '@loopwatch/contract/api';
import { Link } from '@tanstack/react-router';
import { type CSSProperties, useId } from 'react';
import { writeSet } from '../settings/address.ts';
import { textOf } from '../settings/value.ts';
import { Button } from '../ui/controls/Button.tsx';
import { Card } from '../ui/layout/Card.tsx';
import { ApplyMenu } from './ApplyMenu.tsx';
import { thresholds, type Values } from './config.ts';

interface Props {
  readonly keys: readonly SettingKey[];
  readonly effective: readonly EffectiveSetting[];
  readonly moved: Values;
  readonly onMove: (moved: Values) => void;
  /** Scopes to apply to, besides the server. */
  readonly scopes: readonly string[];
}

/** Sliders for the thresholds, each with its current value. */
export function ThresholdCard({ keys, effective, moved, onMove, scopes }: Props) {
  const valueOf = (path: string) => effective.find((one) => one.path === path)?.value;
  const preset = keys.find(({ path }) => path === 'preset');
  const set = (path: string, value: unknown) => {
    const rest = Object.fromEntries(Object.entries(moved).filter(([other]) => other !== path));
    onMove(value === valueOf(path) ? rest : { ...rest, [path]: value });
  };
  const count = Object.keys(moved).length;
  return (
    <Card title="Thresholds" note={count === 0 ? 'current values' : `${String(count)} changed`}>
      <div className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,240px),1fr))] gap-x-6 gap-y-3">
        {preset?.choices != null && (
          <label className="col-span-full flex items-center justify-between gap-3 font-500">
            Preset
            <select
              className="field"
              value={textOf(moved['preset'] ?? valueOf('preset'))}
              onChange={(event) => set('preset', event.target.value)}
            >
              {preset.choices.map((choice) => (
                <option key={choice}>{choice}</option>
              ))}
            </select>
          </label>
        )}
        {thresholds.flatMap(({ path, name, max, hint }) => {
          const key = keys.find((one) => one.path === path);
          const now = valueOf(path);
          if (key === undefined) return [];
          const at = moved[path] ?? now;
          return [
            <ThresholdSlider
              key={path}
              name={name}
              hint={hint}
              path={path}
              min={key.min ?? 1}
              max={Math.max(max, typeof now === 'number' ? now : 0)}
              now={typeof now === 'number' ? now : undefined}
              value={typeof at === 'number' ? at : undefined}
              onChange={(value) => set(path, value)}
            />,
          ];
        })}
      </div>
      <div className="mt-4 flex flex-wrap items-center gap-3 text-sm">
        <Button small disabled={count === 0} onClick={() => onMove({})}>
          Reset
        </Button>
        {count === 0 ? (
          <Link className="text-accent" to="/settings">
            Edit in Settings
          </Link>
        ) : (
          <>
            <ApplyMenu keys={keys} moved={moved} scopes={scopes} onApplied={() => onMove({})} />
            <Link className="text-accent" to="/settings" search={{ set: writeSet(moved) }}>
              Edit in Settings
            </Link>
          </>
        )}
      </div>
    </Card>
  );
}

interface SliderProps {
  readonly name: string;
  readonly hint: string | undefined;
  readonly path: string;
  readonly min: number;
  readonly max: number;
  /** The current value; undefined if the detector is off. */
  readonly now: number | undefined;
  readonly value: number | undefined;
  readonly onChange: (value: number) => void;
}

function ThresholdSlider({ name, hint, path, min, max, now, value, onChange }: SliderProps) {
  const id = useId();
  const changed = value !== now;
  return (
    <div
      className="grid content-start grid-cols-[minmax(0,1fr)_auto] gap-x-3 gap-y-0.5 [&_output_small]:ml-1.5 [&_output_small]:text-xs [&_output_small]:font-450 [&_output_small]:text-ink3"
      data-changed={changed || undefined}
    >
      <label htmlFor={id} title={path}>
        {name}
      </label>
      {hint !== undefined && (
        <small className="order-1 col-span-full text-xs text-ink3" id={`${id}-hint`}>
          {hint}
        </small>
      )}
      <output className="font-620 text-right in-data-changed:text-accent" htmlFor={id}>
        {value ?? 'off'}
        {changed && <small>currently {now ?? 'off'}</small>}
      </output>
      <input
        className="slider col-span-full"
        id={id}
        type="range"
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        style={{ '--share': max > min ? ((value ?? max) - min) / (max - min) : 0 } as CSSProperties}
        min={min}
        max={max}
        value={value ?? max}
        onChange={(event) => onChange(Number(event.target.value))}
      />
    </div>
  );
}
