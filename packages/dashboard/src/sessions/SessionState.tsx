import type { SessionItem, SessionState as State } from '@loopwatch/contract/api';

const texts: Record<State, string> = { live: 'live', quiet: 'quiet', idle: 'idle', ended: 'ended' };

/** State of a session as icon and word; a stop comes first while the session lasts. */
export function SessionState({ session }: { readonly session: Pick<SessionItem, 'state' | 'stopped'> }) {
  const state = session.stopped === true && session.state !== 'ended' ? 'stopped' : session.state;
  return (
    <span
      className="group/state inline-flex items-center gap-1.5 text-sm font-550 text-ink2 data-[state=live]:text-ok"
      data-state={state}
      title={state === 'stopped' ? `stopped; ${texts[session.state]}` : undefined}
    >
      <i className="border-[1.6px] border-current size-2 rounded-full group-data-[state=live]/state:bg-current group-data-[state=stopped]/state:rounded-none group-data-[state=stopped]/state:bg-current group-data-[state=quiet]/state:border-dotted group-data-[state=idle]/state:border-dotted" />
      {state === 'stopped' ? state : texts[state]}
    </span>
  );
}
