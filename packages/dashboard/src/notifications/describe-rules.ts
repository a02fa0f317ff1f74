import type { NotificationStatus } from '@loopwatch/contract/api';

/** Describes which incidents are sent. */
export function describeRules({
  when,
  maxPerMinute,
}: Pick<NotificationStatus, 'when' | 'maxPerMinute'>): string {
  const parts = [
    condition('kind', when.kind),
    condition('detector', when.detector),
    condition('action', when.action),
    condition('agent', when.agent),
    condition('model', when.model),
    condition('tool', when.tool),
    when.min_usd === undefined ? undefined : `at least $${String(when.min_usd)}`,
    when.min_tokens === undefined ? undefined : `at least ${when.min_tokens.toLocaleString('en')} tokens`,
  ].filter((part) => part !== undefined);
  const which = parts.length === 0 ? 'all incidents' : parts.join('; ');
  return maxPerMinute === null ? which : `${which}; up to ${String(maxPerMinute)} per minute`;
}

function condition(name: string, values: string | readonly string[] | undefined): string | undefined {
  if (values === undefined) return undefined;
  return `${name} ${typeof values === 'string' ? values : values.join(' or ')}`;
}
