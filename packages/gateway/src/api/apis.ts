import type { Api } from './api.ts';
import { chatApi } from './chat.ts';
import { messagesApi } from './messages.ts';
import { responsesApi } from './responses.ts';

/** What the gateway understands, by path below `/v1`. */
const apis: Readonly<Record<string, Api>> = {
  '/v1/chat/completions': chatApi,
  '/v1/messages': messagesApi,
  '/v1/responses': responsesApi,
};

/** The API that a request speaks; undefined for what is passed on without a look. */
export function apiOf(method: string, path: string): Api | undefined {
  const [pure = ''] = path.split('?', 1);
  const own = Object.hasOwn(apis, pure) ? apis[pure] : undefined;
  return method === 'POST' ? own : undefined;
}
