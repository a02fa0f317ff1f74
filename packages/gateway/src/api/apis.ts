import { plainPath } from '../http/request-path.ts';
import type { Api } from './api.ts';
import { chatApi } from './chat.ts';
import { messagesApi } from './messages.ts';
import { responsesApi } from './responses.ts';

/** What the gateway understands, by how its path ends: providers put it below paths of their own. */
const apis: readonly (readonly [string, Api])[] = [
  ['/chat/completions', chatApi],
  ['/messages', messagesApi],
  ['/responses', responsesApi],
];
/** Ends like one of them, and adds to a thread of OpenAI's Assistants instead. */
const threadMessages = /\/threads\/[^/]+\/messages$/;
/** Paths that take `input`, `messages` or `contents` too, and whose answers have no calls. */
const withoutCalls =
  /\/(?:embeddings|moderations|rerank|speech|generations|count_tokens|input_tokens|compact)$|:(?:counttokens|embedcontent|batchembedcontents)$/;

/** How paths that are judged end. */
export const judgedPaths = apis.map(([end]) => end);

/** The API that a request speaks; undefined for what is passed on without a look. */
export function apiOf(method: string, path: string): Api | undefined {
  if (method !== 'POST') return undefined;
  const plain = plainPath(path);
  if (threadMessages.test(plain)) return undefined;
  return apis.find(([end]) => plain.endsWith(end))?.[1];
}

/** Whether a request that is passed on may hold what an agent asks a model. */
export function mayAskModel(method: string, path: string): boolean {
  const plain = plainPath(path);
  return method === 'POST' && !withoutCalls.test(plain) && !threadMessages.test(plain);
}
