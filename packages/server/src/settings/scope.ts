import { storableText } from '@loopwatch/contract';
import type { ScopeKind } from '@loopwatch/contract/api';
import { badRequest } from '../http/problem.ts';

/** The scope of settings: all sessions, those of a model, or one session. */
export interface Scope {
  readonly kind: ScopeKind;
  /** As in records and URLs: `server`, `model:openai/gpt-5-mini`, `session:s-1`. */
  readonly text: string;
  /** The part after the colon. */
  readonly name: string;
}

/** @throws HttpProblem 400 */
export function parseScope(text: string): Scope {
  if (text === 'server') return { kind: 'server', text, name: '' };
  const model = /^model:([^/]+\/.+)$/.exec(text)?.[1];
  if (model !== undefined) return { kind: 'model', text, name: model };
  const session = /^session:(.+)$/s.exec(text)?.[1];
  if (session !== undefined) {
    const name = storableText(session);
    return { kind: 'session', text: `session:${name}`, name };
  }
  const detail = 'must be server, model:<backend>/<model> or session:<id>, URL-encoded';
  throw badRequest({ parameter: 'scope', detail });
}
