import type { Mute } from '@loopwatch/contract/api';
import { visibleText } from '../../lib/visible-text.ts';
import { Ago, Clock } from '../../ui/layout/Time.tsx';

/** Describes a mute by cause: what, until when, and by whom. */
export function MuteText({ mute: { cause, until, escalation, by, at, note } }: { readonly mute: Mute }) {
  const named = Object.entries(cause).map(([name, value = '']) =>
    name === 'group' ? `identical loops (${value.slice(0, 6)})` : `${name} ${visibleText(value)}`,
  );
  return (
    <>
      {named.join(', ')}; {end(until, escalation !== null)}; by {by}, <Ago time={at} />
      {note !== null && `; “${note}”`}
    </>
  );
}

function end(until: number | null, escalates: boolean) {
  if (until === null) return escalates ? 'until it escalates' : 'for good';
  return (
    <>
      until <Clock time={until} />
      {escalates && ' or until it escalates'}
    </>
  );
}
