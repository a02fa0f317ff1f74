import type { NotificationStatus } from '@loopwatch/contract/api';
import { useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useId, useState } from 'react';
import { ApiError } from '../api/client.ts';
import { useKnownNames } from '../api/known-names.ts';
import { notificationsQuery, putNotification } from '../api/notifications.ts';
import { errorText } from '../lib/error-text.ts';
import { Button } from '../ui/controls/Button.tsx';
import { Dialog } from '../ui/controls/Dialog.tsx';
import { toast } from '../ui/feedback/toast-store.ts';
import { Segments } from '../ui/layout/Segments.tsx';
import {
  type Draft,
  draftOf,
  emptyDraft,
  entryOf,
  type Field,
  readList,
  ruleFields,
  typeFields,
  writeList,
} from './fields.ts';

interface Props {
  /** The receiver to edit; undefined to add one. */
  readonly item: NotificationStatus | undefined;
  /** Names of other receivers, which a new one must not replace. */
  readonly taken: readonly string[];
  readonly onClose: () => void;
}

const types = Object.entries(typeFields).map(([value, { title }]) => ({
  value: value as Draft['type'],
  text: title,
}));

/** Form to add or edit a receiver. */
export default function NotificationForm({ item, taken, onClose }: Props) {
  const client = useQueryClient();
  const [draft, setDraft] = useState(item === undefined ? emptyDraft : draftOf(item));
  const [problems, setProblems] = useState<Problems>(noProblems);
  const [saving, setSaving] = useState(false);
  const known: Readonly<Record<string, readonly string[]>> = {
    agent: useKnownNames('agent'),
    model: useKnownNames('model'),
    tool: useKnownNames('tool'),
  };
  const save = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const name = draft.name.trim();
    if (item === undefined && taken.includes(name)) {
      setProblems({ byField: { name: 'is taken: choose another name, or edit that receiver' }, other: '' });
      return;
    }
    setSaving(true);
    try {
      await putNotification(name, entryOf(draft));
      await client.invalidateQueries(notificationsQuery);
      toast(`Saved ${name}. Send a test message to check it.`);
      onClose();
    } catch (error) {
      setProblems(problemsOf(error));
    } finally {
      setSaving(false);
    }
  };
  const setText = (key: string, text: string) =>
    setDraft((now) => ({ ...now, texts: { ...now.texts, [key]: text } }));
  const row = (field: Field) => (
    <FieldRow
      key={field.key}
      field={field}
      choices={field.choices ?? known[field.key] ?? []}
      text={draft.texts[field.key] ?? ''}
      saved={draft.saved.includes(field.key)}
      problem={problems.byField[field.key]}
      onChange={(text) => setText(field.key, text)}
    />
  );
  return (
    <Dialog
      title={item === undefined ? 'New receiver' : `Edit ${item.name}`}
      note="messages about incidents"
      wide
      onClose={onClose}
    >
      <form className="grid gap-3 min-w-0" onSubmit={(event) => void save(event)}>
        {item === undefined && (
          <>
            <div className="min-w-0 [&>div]:flex-wrap">
              <Segments
                label="Type"
                value={draft.type}
                options={types}
                onChange={(type) => setDraft((now) => ({ ...now, type }))}
              />
            </div>
            <FieldRow
              field={{ key: 'name', label: 'Name', placeholder: 'oncall', hint: 'Letters, digits, . _ -' }}
              choices={[]}
              text={draft.name}
              saved={false}
              problem={problems.byField['name']}
              onChange={(name) => setDraft((now) => ({ ...now, name }))}
            />
          </>
        )}
        {typeFields[draft.type].fields.map(row)}
        <fieldset className="px-0 pt-2 pb-0 border-0 grid gap-3 min-w-0 grid-cols-[repeat(auto-fill,minmax(min(100%,240px),1fr))] [&_legend]:font-550 [&_p]:col-span-full [&_p]:text-sm [&_p]:text-ink2">
          <legend>Incident filters</legend>
          <p>
            Leave a field empty to match everything. Separate several values with commas; put a value that
            contains a comma in quotes.
          </p>
          {ruleFields.map(row)}
        </fieldset>
        {problems.other !== '' && (
          <p className="text-hot" role="alert">
            {problems.other}
          </p>
        )}
        <div className="flex gap-2">
          <Button type="submit" tone="accent" disabled={saving || draft.name.trim() === ''}>
            {saving ? 'Saving…' : 'Save'}
          </Button>
          <Button quiet onClick={onClose}>
            Cancel
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface FieldProps {
  readonly field: Field;
  /** Values to offer. */
  readonly choices: readonly string[];
  readonly text: string;
  readonly saved: boolean;
  readonly problem: string | undefined;
  readonly onChange: (text: string) => void;
}

function FieldRow({ field, choices, text, saved, problem, onChange }: FieldProps) {
  const { label, hint, placeholder, secret, kind } = field;
  const id = useId();
  return (
    <div className="grid content-start gap-0.5 min-w-0">
      <label className="font-500" htmlFor={id}>
        {label}
      </label>
      <input
        className="px-2.25 py-0.75 border border-line2 w-full min-h-8 rounded-md bg-bg text-ink aria-[invalid=true]:border-hot"
        id={id}
        type={secret === true ? 'password' : 'text'}
        autoComplete={secret === true ? 'new-password' : 'off'}
        inputMode={kind === 'number' ? 'decimal' : undefined}
        list={choices.length === 0 ? undefined : `${id}-choices`}
        placeholder={saved ? 'Saved. Leave empty to keep it.' : (placeholder ?? field.choices?.join(', '))}
        value={text}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-about`}
        onChange={(event) => onChange(event.target.value)}
      />
      {choices.length > 0 && (
        <datalist id={`${id}-choices`}>
          {withChoice(text, choices, kind === 'list').map((choice) => (
            <option key={choice} value={choice} />
          ))}
        </datalist>
      )}
      <small
        className="text-xs text-ink3 data-hot:text-hot"
        id={`${id}-about`}
        data-hot={problem !== undefined || undefined}
      >
        {problem ?? hint}
      </small>
    </div>
  );
}

/** In a list, the choices so far, continued by each of the others. */
function withChoice(text: string, choices: readonly string[], isList: boolean): string[] {
  const chosen = readList(text.slice(0, Math.max(0, text.lastIndexOf(','))));
  return choices
    .filter((choice) => !chosen.includes(choice))
    .map((choice) => (isList ? writeList([...chosen, choice]) : choice));
}

interface Problems {
  readonly byField: Readonly<Record<string, string>>;
  /** Errors that belong to no field. */
  readonly other: string;
}

const noProblems: Problems = { byField: {}, other: '' };

function problemsOf(error: unknown): Problems {
  const errors = error instanceof ApiError ? (error.problem?.errors ?? []) : [];
  const fields = errors.map(({ path, detail }) => [fieldOf(path), detail] as const);
  return {
    byField: Object.fromEntries(fields.filter(([key]) => key !== '')),
    other:
      errors.length === 0
        ? errorText(error)
        : fields.flatMap(([key, detail]) => (key === '' ? [detail] : [])).join('; '),
  };
}

/** `when.action.0` belongs to the field `action`. */
function fieldOf(path: unknown): string {
  return typeof path === 'string' ? (path.replace(/^when\./, '').split('.')[0] ?? '') : '';
}
