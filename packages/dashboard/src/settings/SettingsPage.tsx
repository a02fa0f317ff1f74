import { jsonFrom } from '@loopwatch/contract';
import type { ScopeKind, ScopeSettings, SettingKey, SettingsOverview } from '@loopwatch/contract/api';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useRouterState, useSearch } from '@tanstack/react-router';
import { type SubmitEvent, useEffect, useState } from 'react';
import { ApiError } from '../api/client.ts';
import { useRefusal } from '../api/me.ts';
import { putSettings, scopeQuery, settingsQuery } from '../api/settings.ts';
import { errorText } from '../lib/error-text.ts';
import { plural } from '../lib/format.ts';
import { omit } from '../lib/omit.ts';
import { valueOf, valuesOf } from '../lib/search.ts';
import { Page } from '../page/Page.tsx';
import { Button } from '../ui/controls/Button.tsx';
import { Async } from '../ui/feedback/Async.tsx';
import { Message } from '../ui/feedback/Message.tsx';
import { Skeleton } from '../ui/feedback/Skeleton.tsx';
import { toast } from '../ui/feedback/toast-store.ts';
import { Card } from '../ui/layout/Card.tsx';
import { Ago } from '../ui/layout/Time.tsx';
import { Icon } from '../ui/lib/icons.tsx';
import { readSet } from './address.ts';
import { checkSetting } from './check-setting.ts';
import { SettingRow } from './SettingRow.tsx';
import { sectionsOf } from './sections.ts';
import { readScope, scopeName } from './value.ts';

/** Detection settings of the server, a model or a session. */
export function SettingsPage() {
  const search = useSearch({ strict: false });
  const requested = valueOf(search, 'scope');
  const scope = readScope(requested) ?? 'server';
  const overview = useQuery(settingsQuery);
  const own = useQuery(scopeQuery(scope));
  return (
    <Page
      title="Settings"
      note="session overrides model, model overrides server"
      actions={
        <>
          <Link className="button" to="/notifications">
            Notifications
          </Link>
          <Link className="button" to="/settings/tokens">
            Tokens
          </Link>
          <Link className="button" to="/settings/audit">
            Audit log
          </Link>
        </>
      }
    >
      {readScope(requested) === undefined && (
        <p className="text-sm text-warm" role="note">
          Unknown scope “{requested}”. Showing the server’s settings.
        </p>
      )}
      <Async
        query={overview}
        what="the settings"
        skeleton={
          <div className="grid grid-cols-[220px_minmax(0,1fr)] items-start gap-6 @max-[860px]/page:grid-cols-1 @max-[860px]/page:gap-4">
            <Skeleton height={220} what="the scopes" />
            <Skeleton height={620} what="the settings" />
          </div>
        }
      >
        {(all) => (
          <div className="grid grid-cols-[220px_minmax(0,1fr)] items-start gap-6 @max-[860px]/page:grid-cols-1 @max-[860px]/page:gap-4">
            <div className="sticky top-6 grid gap-4 max-h-[calc(100dvh-100px)] overflow-auto @max-[860px]/page:static @max-[860px]/page:max-h-none">
              <Scopes overview={all} scope={scope} />
              <SectionLinks keys={keysOf(all.keys, scope)} />
            </div>
            <Async query={own} what="this scope" skeleton={<Skeleton height={620} what="the settings" />}>
              {(settings) => (
                <Editor
                  key={[scope, valueOf(search, 'key') ?? '', ...valuesOf(search, 'set')].join(' ')}
                  keys={all.keys}
                  settings={settings}
                  requested={valueOf(search, 'key')}
                  prefill={readSet(valuesOf(search, 'set'))}
                />
              )}
            </Async>
          </div>
        )}
      </Async>
    </Page>
  );
}

function Scopes({ overview, scope }: { readonly overview: SettingsOverview; readonly scope: string }) {
  const known = overview.scopes.map((one) => one.scope);
  const listed = [...new Set(['server', ...known, scope])];
  const of = (kind: string) => listed.filter((one) => one.startsWith(`${kind}:`));
  return (
    <nav
      className="grid gap-px @max-[860px]/page:grid-cols-[repeat(auto-fit,minmax(min(100%,280px),1fr))] @max-[860px]/page:gap-x-4 @max-[860px]/page:gap-y-0 [&_a]:px-2.5 [&_a]:py-1.25 [&_a]:flex [&_a]:gap-2 [&_a]:rounded-md [&_a]:text-ink2 [&_a]:font-500 [&_small]:text-xs [&_small]:text-ink3 @max-[860px]/page:[&>a]:col-span-full [&_a_span]:truncate [&_a_span]:flex-1 [&_a_span]:min-w-0 [&_a]:hover:bg-raise [&_a]:aria-[current]:bg-accent-soft [&_a]:aria-[current]:text-ink"
      aria-label="Scopes"
    >
      <ScopeLink scope="server" current={scope} set={setOf(overview, 'server')} />
      <div className="grid content-start gap-px min-w-0">
        <h2 className="px-2.5 pt-3 pb-0.5 text-xs font-550 text-ink3">Models</h2>
        {of('model').map((one) => (
          <ScopeLink key={one} scope={one} current={scope} set={setOf(overview, one)} />
        ))}
        <NewScope kind="model" placeholder="Add, e.g. openai/gpt-5-mini" />
      </div>
      <div className="grid content-start gap-px min-w-0">
        <h2 className="px-2.5 pt-3 pb-0.5 text-xs font-550 text-ink3">Sessions</h2>
        {of('session').map((one) => (
          <ScopeLink key={one} scope={one} current={scope} set={setOf(overview, one)} />
        ))}
        <NewScope kind="session" placeholder="Add a session id" />
      </div>
    </nav>
  );
}

function setOf({ scopes }: SettingsOverview, scope: string): number {
  return Object.keys(scopes.find((one) => one.scope === scope)?.set ?? {}).length;
}

function ScopeLink({ scope, current, set }: { scope: string; current: string; set: number }) {
  return (
    <Link
      to="/settings"
      search={scope === 'server' ? {} : { scope }}
      activeProps={{}}
      aria-current={scope === current || undefined}
      title={scopeName(scope)}
    >
      <span>{scopeName(scope)}</span>
      {set > 0 && <small>{set}</small>}
    </Link>
  );
}

function NewScope({ kind, placeholder }: { readonly kind: ScopeKind; readonly placeholder: string }) {
  const navigate = useNavigate();
  const go = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget).get('name');
    const scope = typeof given === 'string' ? `${kind}:${given.trim()}` : '';
    if (readScope(scope) === undefined) {
      toast(kind === 'model' ? 'Enter a model as backend/model' : 'Enter a session id', { tone: 'hot' });
      return;
    }
    event.currentTarget.reset();
    void navigate({ to: '/settings', search: { scope } });
  };
  return (
    <form onSubmit={go} className="[&_svg]:rotate-180 pr-1 pl-2.5 flex items-center gap-0.5">
      <input
        className="p-0 border-0 flex-1 min-w-0 h-7 border-b border-b-transparent bg-transparent text-ink focus:outline-none focus:border-b-accent"
        name="name"
        required
        aria-label={`Add a ${kind}`}
        placeholder={placeholder}
      />
      <Button quiet icon small type="submit" aria-label={`Open the settings of the ${kind}`}>
        <Icon name="back" size={12} />
      </Button>
    </form>
  );
}

/** The settings that a scope can set. */
function keysOf(keys: readonly SettingKey[], scope: string): SettingKey[] {
  const kind = scope.split(':')[0] as ScopeKind;
  return keys.filter(({ scopes }) => scopes.includes(kind));
}

function SectionLinks({ keys }: { readonly keys: readonly SettingKey[] }) {
  return (
    <nav className="grid gap-px @max-[860px]/page:hidden" aria-label="Sections">
      <h2 className="px-2.5 pb-0.5 text-xs font-550 text-ink3">Sections</h2>
      {sectionsOf(keys).map(({ id, title }) => (
        <a key={id} className="px-2.5 py-1 rounded-md text-sm text-ink2 hover:bg-raise" href={`#${id}`}>
          {title}
        </a>
      ))}
    </nav>
  );
}

interface EditorProps {
  readonly keys: readonly SettingKey[];
  readonly settings: ScopeSettings;
  /** The setting named in the URL. */
  readonly requested: string | undefined;
  /** Values from the URL to start the draft with, as incidents and Tuning link here. */
  readonly prefill: ReadonlyMap<string, string>;
}

/** Changes stay a draft until saved, also while other users save; then all of them apply at once. */
function Editor({ keys, settings, requested, prefill }: EditorProps) {
  const refusal = useRefusal();
  const client = useQueryClient();
  const [search, setSearch] = useState(requested ?? '');
  const [onlySet, setOnlySet] = useState(false);
  /** By path: the text to set, or null to reset. */
  const [draft, setDraft] = useState<ReadonlyMap<string, string | null>>(() =>
    initialDraft(keys, settings, prefill),
  );
  /** The version that the draft is based on. */
  const [baseVersion, setBaseVersion] = useState(settings.version);
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const usable = keysOf(keys, settings.scope);
  const wanted = search.trim().toLowerCase();
  const shown = usable.filter(
    ({ path, description }) =>
      (!onlySet || Object.hasOwn(settings.set, path) || draft.has(path)) &&
      (path.includes(wanted) || description.toLowerCase().includes(wanted)),
  );
  const errors = new Map<string, string>();
  for (const [path, text] of draft) {
    const key = usable.find((one) => one.path === path);
    const checked = text === null || key === undefined ? undefined : checkSetting(key, text);
    if (checked !== undefined && 'error' in checked) errors.set(path, checked.error);
  }
  const change = (path: string, text: string | null | undefined) => {
    if (draft.size === 0) setBaseVersion(settings.version);
    const next = new Map(draft);
    if (text === undefined) next.delete(path);
    else next.set(path, text);
    setDraft(next);
    setProblem(undefined);
  };
  const save = async () => {
    // Invalid stored settings would be rejected again, so drop them.
    let set: Record<string, unknown> = settings.set;
    for (const { path } of settings.invalid) set = omit(set, path);
    for (const [path, text] of draft) {
      const key = usable.find((one) => one.path === path);
      const checked = text === null || key === undefined ? undefined : checkSetting(key, text);
      if (checked === undefined) set = omit(set, path);
      else if ('value' in checked) set = { ...set, [path]: checked.value };
    }
    setBusy(true);
    try {
      await putSettings(settings.scope, { set, version: settings.version });
      await client.invalidateQueries({ queryKey: ['settings'] });
      setDraft(new Map());
      void client.invalidateQueries({ queryKey: ['sessions', 'one'] });
      toast(`Saved ${plural(draft.size + settings.invalid.length, 'change')}. Takes effect within seconds.`, {
        action: {
          name: 'Undo',
          run: () =>
            void putSettings(settings.scope, { set: settings.set })
              .then(() => client.invalidateQueries({ queryKey: ['settings'] }))
              .then(() => toast('Undone'))
              .catch((error: unknown) => toast(`Could not undo: ${errorText(error)}`, { tone: 'hot' })),
        },
      });
    } catch (error) {
      if (error instanceof ApiError && error.status === 409) {
        void client.invalidateQueries({ queryKey: ['settings'] });
      }
      setProblem(errorText(error));
    } finally {
      setBusy(false);
    }
  };

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
          <Button refused={refusal} disabled={busy} onClick={() => void save()}>
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
                draft={draft.get(key.path)}
                error={errors.get(key.path)}
                disabled={refusal !== undefined}
                onChange={(text) => change(key.path, text)}
              />
            ))}
          </ul>
        </Card>
      ))}
      {draft.size > 0 && (
        <section
          className="pr-2 pl-4 py-2 border border-line2 sticky z-3 bottom-3 flex items-center gap-3 rounded-lg bg-panel shadow-float [&_p]:text-sm [&_p]:text-hot [&_p[role=note]]:text-warm"
          aria-label="Unsaved changes"
        >
          <div className="flex-1 min-w-0">
            <b>{plural(draft.size, 'change')}</b>
            {errors.size > 0 && <p role="alert">{[...errors.values()][0]}</p>}
            {problem !== undefined && <p role="alert">{problem}</p>}
            {settings.version !== baseVersion && (
              <p role="note">
                {settings.updatedBy ?? 'Another user'} saved version {settings.version} in the meantime.
                Saving adds your changes on top.
              </p>
            )}
          </div>
          <Button tone="accent" disabled={errors.size > 0 || busy} onClick={() => void save()}>
            {busy ? 'Saving…' : 'Save'}
          </Button>
          <Button quiet onClick={() => setDraft(new Map())}>
            Discard
          </Button>
        </section>
      )}
    </div>
  );
}

/** Values from the URL are merged into maps instead of replacing them. */
function initialDraft(
  keys: readonly SettingKey[],
  settings: ScopeSettings,
  prefill: ReadonlyMap<string, string>,
): Map<string, string | null> {
  return new Map(
    [...prefill].map(([path, text]) => {
      const added: unknown = jsonFrom(text);
      const current = settings.effective.find((one) => one.path === path)?.value;
      const isMap = keys.find((key) => key.path === path)?.type === 'map';
      const merged = isMap && typeof added === 'object' && typeof current === 'object';
      return [path, merged ? JSON.stringify({ ...current, ...added }) : text];
    }),
  );
}
