import { type AuditAction, auditActions } from '@loopwatch/contract/api';
import type { AuditView } from '../api/audit.ts';
import { type Search, valuesOf } from '../lib/search.ts';
import { allTime, readRange, writeRange } from '../lib/time-range.ts';

/** What happened, after the name of who did it. */
export const actionNames: Readonly<Record<AuditAction, string>> = {
  'settings.changed': 'changed settings',
  'session.stopped': 'stopped a session',
  'session.resumed': 'resumed a session',
  'session.erased': 'erased sessions',
  'samples.removed': 'removed the sample sessions',
  'notification.changed': 'changed a receiver',
  'notification.deleted': 'deleted a receiver',
  'token.created': 'created a token',
  'token.revoked': 'revoked a token',
};

const names = new Set(['action', 'actor', 'subject', 'range', 'from', 'to']);

/** Search params of the page; default: everything. */
export function readAudit(search: Search): AuditView & { readonly ignored: readonly string[] } {
  const { range, ignored } = readRange(search, allTime);
  const actions = valuesOf(search, 'action');
  const action = actions.filter((one): one is AuditAction =>
    (auditActions as readonly string[]).includes(one),
  );
  const actor = [...valuesOf(search, 'actor')];
  const subject = [...valuesOf(search, 'subject')];
  return {
    filter: {
      ...(action.length > 0 && { action }),
      ...(actor.length > 0 && { actor }),
      ...(subject.length > 0 && { subject }),
    },
    range,
    ignored: [
      ...ignored,
      ...actions.filter((one) => !action.includes(one as AuditAction)).map((one) => `action=${one}`),
      ...Object.keys(search).filter((name) => !names.has(name)),
    ],
  };
}

/** The inverse of {@link readAudit}. */
export function writeAudit({ filter, range }: AuditView): Search {
  return { ...filter, ...writeRange(range, allTime) };
}
