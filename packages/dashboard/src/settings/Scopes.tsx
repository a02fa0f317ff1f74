import type { ScopeKind, SettingsOverview } from '@loopwatch/contract/api';
import { Link, useNavigate } from '@tanstack/react-router';
import type { SubmitEvent } from 'react';
import { Button } from '../ui/controls/Button.tsx';
import { toast } from '../ui/feedback/toast-store.ts';
import { Icon } from '../ui/lib/icons.tsx';
import { readScope, scopeName } from './value.ts';

const kinds = [
  { kind: 'model', title: 'Models', placeholder: 'Add, e.g. openai/gpt-5-mini' },
  { kind: 'session', title: 'Sessions', placeholder: 'Add a session id' },
] as const;

/** The server, and the models and sessions that override it. */
export function Scopes({ overview, scope }: { readonly overview: SettingsOverview; readonly scope: string }) {
  const known = overview.scopes.map((one) => one.scope);
  const listed = [...new Set(['server', ...known, scope])];
  const of = (kind: string) => listed.filter((one) => one.startsWith(`${kind}:`));
  return (
    <nav
      className="grid gap-px @max-[860px]/page:grid-cols-[repeat(auto-fit,minmax(min(100%,280px),1fr))] @max-[860px]/page:gap-x-4 @max-[860px]/page:gap-y-0 [&_a]:px-2.5 [&_a]:py-1.25 [&_a]:flex [&_a]:gap-2 [&_a]:rounded-md [&_a]:text-ink2 [&_a]:font-500 [&_small]:text-xs [&_small]:text-ink3 @max-[860px]/page:[&>a]:col-span-full [&_a_span]:truncate [&_a_span]:flex-1 [&_a_span]:min-w-0 [&_a]:hover:bg-raise [&_a]:aria-[current]:bg-accent-soft [&_a]:aria-[current]:text-ink"
      aria-label="Scopes"
    >
      <ScopeLink scope="server" current={scope} set={setOf(overview, 'server')} />
      {kinds.map(({ kind, title, placeholder }) => (
        <div key={kind} className="grid content-start gap-px min-w-0">
          <h2 className="px-2.5 pt-3 pb-0.5 text-xs font-550 text-ink3">{title}</h2>
          {of(kind).map((one) => (
            <ScopeLink key={one} scope={one} current={scope} set={setOf(overview, one)} />
          ))}
          <NewScope kind={kind} placeholder={placeholder} />
        </div>
      ))}
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
      // Otherwise the server's link, without a search, is current in every scope.
      activeOptions={{ exact: true }}
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
