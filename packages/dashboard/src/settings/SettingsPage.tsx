import type { SettingKey } from '@loopwatch/contract/api';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { scopeQuery, settingsQuery } from '../api/settings.ts';
import { valueOf, valuesOf } from '../lib/search.ts';
import { Page } from '../page/Page.tsx';
import { Async } from '../ui/feedback/Async.tsx';
import { Skeleton } from '../ui/feedback/Skeleton.tsx';
import { readSet } from './address.ts';
import { Editor } from './Editor.tsx';
import { Scopes } from './Scopes.tsx';
import { keysOf, sectionsOf } from './sections.ts';
import { readScope } from './value.ts';

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
