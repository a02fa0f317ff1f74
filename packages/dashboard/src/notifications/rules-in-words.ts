import type { NotificationStatus } from '@loopwatch/contract/api';

/** Which incidents are sent, in words. */
export function rulesInWords({
  when,
  maxPerMinute,
}: Pick<NotificationStatus, 'when' | 'maxPerMinute'>): string {
  const parts = [
    among('kind', when.kind),
    among('detector', when.detector),
    among('action', when.action),
    among('agent', when.agent),
    among('model', when.model),
    among('tool', when.tool),
    when.min_usd === undefined ? undefined : `at least $${String(when.min_usd)}`,
    when.min_tokens === undefined ? undefined : `at least ${when.min_tokens.toLocaleString('en')} tokens`,
  ].filter((part) => part !== undefined);
  const which = parts.length === 0 ? 'every incident' : parts.join('; ');
  return maxPerMinute === null ? which : `${which}; up to ${String(maxPerMinute)} a minute`;
}

function among(name: string, values: string | readonly string[] | undefined): string | undefined {
  if (values === undefined) return undefined;
  return `${name} ${typeof values === 'string' ? values : values.join(' or ')}`;
}
