import type { SessionState as State } from '@loopwatch/contract/api';

const texts: Record<State, string> = { live: 'live', quiet: 'quiet', idle: 'idle', ended: 'ended' };

/** State of a session as icon and word. */
export function SessionState({ state }: { readonly state: State }) {
  return (
    <span
      className="group/state inline-flex items-center gap-1.5 text-sm font-550 text-ink2 data-[state=live]:text-ok"
      data-state={state}
    >
      <i className="border-[1.6px] border-current size-2 rounded-full group-data-[state=live]/state:bg-current group-data-[state=quiet]/state:border-dotted group-data-[state=idle]/state:border-dotted" />
      {texts[state]}
    </span>
  );
}
