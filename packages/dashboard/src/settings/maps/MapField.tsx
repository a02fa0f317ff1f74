import { jsonFrom } from '@loopwatch/contract';
import type { SettingKey } from '@loopwatch/contract/api';
import { useState } from 'react';
import { useKnownNames } from '../../api/known-names.ts';
import { Segments } from '../../ui/layout/Segments.tsx';
import { JsonField } from '../JsonField.tsx';
import { Entries } from './Entries.tsx';
import { problemsOf } from './problems.ts';
import { fieldsOfEntries } from './schema.ts';

/** What the entries of each map are about. */
const subjects: Readonly<Record<string, 'agent' | 'model' | 'tool'>> = {
  agents: 'agent',
  prices: 'model',
};

interface Props {
  readonly id: string;
  readonly setting: SettingKey;
  readonly text: string;
  readonly disabled: boolean;
  readonly problem: string | undefined;
  readonly onChange: (text: string) => void;
}

/** A map of names to blocks: fields for each entry, or its JSON. */
export function MapField({ problem, ...props }: Props) {
  const { setting, text, disabled, onChange } = props;
  const [mode, setMode] = useState<'fields' | 'json'>('fields');
  const what = subjects[setting.path] ?? 'tool';
  const known = {
    agent: useKnownNames('agent'),
    model: useKnownNames('model'),
    tool: useKnownNames('tool'),
  };
  const fields = fieldsOfEntries(setting.path);
  const value = text.trim() === '' ? {} : jsonFrom(text);
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
  const json = (
    <div>
      <JsonField {...props} invalid={problem !== undefined} />
      {problem !== undefined && <small data-hot>{problem}</small>}
    </div>
  );
  if (fields === undefined) return json;
  return (
    <div className="grid gap-2 min-w-0">
      <div>
        <Segments
          label={`Edit ${setting.path} as`}
          value={mode}
          options={[
            { value: 'fields', text: 'Fields' },
            { value: 'json', text: 'Edit as JSON' },
          ]}
          onChange={setMode}
        />
      </div>
      {mode === 'json' || !isMap ? (
        json
      ) : (
        <Entries
          path={setting.path}
          at={[]}
          fields={fields}
          entries={value as Record<string, unknown>}
          what={what}
          problems={problemsOf(setting.path, value)}
          disabled={disabled}
          known={(of) => known[of as keyof typeof known]}
          onChange={(next) => onChange(JSON.stringify(next))}
        />
      )}
    </div>
  );
}
