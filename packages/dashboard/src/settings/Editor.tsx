import type { ScopeSettings, SettingKey } from '@loopwatch/contract/api';
import { useBlocker, useRouterState } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useRefusal } from '../api/me.ts';
import { plural } from '../lib/format.ts';
import { Button } from '../ui/controls/Button.tsx';
import { Message } from '../ui/feedback/Message.tsx';
import { Card } from '../ui/layout/Card.tsx';
import { Ago } from '../ui/layout/Time.tsx';
import { SettingRow } from './SettingRow.tsx';
import { keysOf, sectionsOf } from './sections.ts';
import { type Draft, useDraft } from './use-draft.ts';

interface EditorProps {
  readonly keys: readonly SettingKey[];
  readonly settings: ScopeSettings;
  /** The setting named in the URL. */
  readonly requested: string | undefined;
  /** Values from the URL to start the draft with, as incidents and Tuning link here. */
  readonly prefill: ReadonlyMap<string, string>;
}

function scopeIn(search: object): unknown {
  return 'scope' in search ? search.scope : undefined;
}

/** The settings of a scope, by section; changes apply at once when they are saved. */
export function Editor({ keys, settings, requested, prefill }: EditorProps) {
  const refusal = useRefusal();
  const [search, setSearch] = useState(requested ?? '');
  const [onlySet, setOnlySet] = useState(false);
  const usable = keysOf(keys, settings.scope);
  const draft = useDraft(usable, settings, prefill);
  const count = draft.changes.size;
  useBlocker({
    // Sections are addresses of this page, too.
    shouldBlockFn: ({ current, next }) =>
      (next.pathname !== current.pathname || scopeIn(next.search) !== scopeIn(current.search)) &&
      !window.confirm(`Discard ${plural(count, 'unsaved change')}?`),
    enableBeforeUnload: count > 0,
    disabled: count === 0,
  });
  const wanted = search.trim().toLowerCase();
  const shown = usable.filter(
    ({ path, description }) =>
      (!onlySet || Object.hasOwn(settings.set, path) || draft.changes.has(path)) &&
      (path.includes(wanted) || description.toLowerCase().includes(wanted)),
  );
  const sections = sectionsOf(shown);
  const hash = useRouterState({ select: ({ location }) => location.hash });
  // The element that the address names is there only now.
  useEffect(() => {
    if (hash !== '') document.getElementById(hash)?.scrollIntoView();
  }, [hash]);
  return (
    <div className="grid grid-cols-1 gap-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 [&_label_input]:accent-accent">
        <input
          className="px-2.5 py-0 border border-line2 w-60 h-8 rounded-md bg-panel text-ink"
          type="search"
          aria-label="Search settings"
          placeholder="Search settings"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        <label className="flex items-center gap-1.5 text-ink2">
          <input type="checkbox" checked={onlySet} onChange={(event) => setOnlySet(event.target.checked)} />
          Show overridden only
        </label>
        <span className="ml-auto text-sm text-ink3 @max-[860px]/page:m-0">
          {settings.updatedAt === null ? (
            'No overrides yet'
          ) : (
            <>
              version {settings.version}, by {settings.updatedBy ?? 'unknown'},{' '}
              <Ago time={settings.updatedAt} />
            </>
          )}
        </span>
      </div>
      {refusal !== undefined && (
        <p className="text-sm text-warm" role="note">
          {refusal}.
        </p>
      )}
      {settings.invalid.length > 0 && (
        <div className="text-sm text-warm" role="note">
          <p>These stored settings are invalid and have no effect:</p>
          <ul>
            {settings.invalid.map(({ path, detail }) => (
              <li key={path}>
                <code>{path}</code>: {detail}
              </li>
            ))}
          </ul>
          <Button refused={refusal} disabled={draft.isSaving} onClick={() => void draft.save()}>
            Remove {plural(settings.invalid.length, 'invalid setting')}
          </Button>
        </div>
      )}
      {sections.length === 0 && (
        <Card title="No matching settings">
          <Message
            title={onlySet && wanted === '' ? 'No overrides in this scope' : 'No results'}
            action={
              <Button
                onClick={() => {
                  setSearch('');
                  setOnlySet(false);
                }}
              >
                Clear filters
              </Button>
            }
          />
        </Card>
      )}
      {sections.map(({ id, title, block, keys: items }) => (
        <Card key={id} anchor={id} title={title} note={block} flush>
          <ul className="mt-3">
            {items.map((key) => (
              <SettingRow
                key={key.path}
                setting={key}
                effective={settings.effective.find(({ path }) => path === key.path)}
                isSet={Object.hasOwn(settings.set, key.path)}
                draft={draft.changes.get(key.path)}
                error={draft.errors.get(key.path)}
                disabled={refusal !== undefined}
                onChange={(text) => draft.change(key.path, text)}
              />
            ))}
          </ul>
        </Card>
      ))}
      {draft.changes.size > 0 && <UnsavedChanges draft={draft} settings={settings} />}
    </div>
  );
}

function UnsavedChanges({
  draft: { changes, errors, problem, isSaving, isOutdated, discard, save },
  settings,
}: {
  readonly draft: Draft;
  readonly settings: ScopeSettings;
}) {
  return (
    <section
      className="pr-2 pl-4 py-2 border border-line2 sticky z-3 bottom-3 flex items-center gap-3 rounded-lg bg-panel shadow-float [&_p]:text-sm [&_p]:text-hot [&_p[role=note]]:text-warm"
      aria-label="Unsaved changes"
    >
      <div className="flex-1 min-w-0">
        <b>{plural(changes.size, 'change')}</b>
        {errors.size > 0 && <p role="alert">{[...errors.values()][0]}</p>}
        {problem !== undefined && <p role="alert">{problem}</p>}
        {isOutdated && (
          <p role="note">
            {settings.updatedBy ?? 'Another user'} saved version {settings.version} in the meantime. Saving
            adds your changes on top.
          </p>
        )}
      </div>
      <Button tone="accent" disabled={errors.size > 0 || isSaving} onClick={() => void save()}>
        {isSaving ? 'Saving…' : 'Save'}
      </Button>
      <Button quiet onClick={discard}>
        Discard
      </Button>
    </section>
  );
}
