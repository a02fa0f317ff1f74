import type { ScopeKind } from '@loopwatch/contract/api';
import { badRequest } from '../http/problem.ts';

/** Whose settings: those of all sessions, of a model's, or of one. */
export interface Scope {
  readonly kind: ScopeKind;
  /** As in records and addresses: `server`, `model:openai/gpt-5-mini`, `session:s-1`. */
  readonly text: string;
  /** What stands behind the colon. */
  readonly name: string;
}

/** @throws HttpProblem 400 that says what scopes look like */
export function parseScope(text: string): Scope {
  if (text === 'server') return { kind: 'server', text, name: '' };
  const model = /^model:([^/]+\/.+)$/.exec(text)?.[1];
  if (model !== undefined) return { kind: 'model', text, name: model };
  const session = /^session:(.+)$/s.exec(text)?.[1];
  if (session !== undefined) return { kind: 'session', text, name: session };
  const detail = 'has to be server, model:<backend>/<model> or session:<id>, URL-encoded';
  throw badRequest({ parameter: 'scope', detail });
}
