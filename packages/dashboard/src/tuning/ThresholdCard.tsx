import type { EffectiveSetting, SettingKey } from '@loopwatch/contract/api';
import { Link } from '@tanstack/react-router';
import { type CSSProperties, useId } from 'react';
import { writeSet } from '../settings/address.ts';
import { textOf } from '../settings/value.ts';
import { Button } from '../ui/controls/Button.tsx';
import { Card } from '../ui/layout/Card.tsx';
import { ApplyMenu } from './ApplyMenu.tsx';
import { thresholds, type Values } from './config.ts';
import styles from './ThresholdCard.module.css';

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
      <div className={styles['sliders']}>
        {preset?.choices != null && (
          <label className={styles['preset']}>
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
      <div className={styles['under']}>
        <Button small disabled={count === 0} onClick={() => onMove({})}>
          Reset
        </Button>
        {count === 0 ? (
          <Link to="/settings">Edit in Settings</Link>
        ) : (
          <>
            <ApplyMenu keys={keys} moved={moved} scopes={scopes} onApplied={() => onMove({})} />
            <Link to="/settings" search={{ set: writeSet(moved) }}>
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
    <div className={styles['slider']} data-changed={changed || undefined}>
      <label htmlFor={id} title={path}>
        {name}
      </label>
      {hint !== undefined && <small id={`${id}-hint`}>{hint}</small>}
      <output htmlFor={id}>
        {value ?? 'off'}
        {changed && <small>currently {now ?? 'off'}</small>}
      </output>
      <input
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
