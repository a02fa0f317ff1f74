import { decodedPath, plainPath } from '../http/request-path.ts';
import type { Api } from './api.ts';
import { chatApi } from './chat.ts';
import { geminiApi } from './gemini.ts';
import { messagesApi } from './messages.ts';
import { responsesApi } from './responses.ts';

/** An API, with the end of the path that selects it. */
export interface Route {
  readonly end: string;
  readonly api: Api;
}

/** Supported APIs by the end of their path: providers use prefixes of their own. */
const apis: readonly Route[] = [
  { end: '/chat/completions', api: chatApi },
  { end: '/messages', api: messagesApi },
  { end: '/responses', api: responsesApi },
];
/** Gemini's path names the model and what to do with it. */
const geminiPath = /\/(?:models|tunedmodels|endpoints)\/([^:]+):((?:streamg|g)eneratecontent)\/?$/i;
const geminiEnds = [':generateContent', ':streamGenerateContent'];
/** OpenAI's Assistants API: ends like a supported path, but is not one. */
const threadMessages = /\/threads\/[^/]+\/messages$/;
/** Paths that also take `input`, `messages` or `contents`, but never return tool calls. */
const withoutCalls =
  /\/(?:embeddings|moderations|rerank|speech|generations|count_tokens|input_tokens|compact)$|:(?:counttokens|embedcontent|batchembedcontents)$/;

/** Path endings that are judged. */
export const judgedPaths = [...apis.map(({ end }) => end), ...geminiEnds];

/** Where a request goes; undefined if it is passed through. */
export function routeOf(method: string, path: string): Route | undefined {
  if (method !== 'POST') return undefined;
  const plain = plainPath(path);
  if (threadMessages.test(plain)) return undefined;
  return apis.find(({ end }) => plain.endsWith(end)) ?? geminiRoute(path);
}

function geminiRoute(path: string): Route | undefined {
  const [, model, action] = geminiPath.exec(decodedPath(path)) ?? [];
  if (model === undefined || action === undefined) return undefined;
  const end = geminiEnds.find((each) => each.toLowerCase() === `:${action.toLowerCase()}`) ?? '';
  const stream = end === ':streamGenerateContent';
  const query = new URLSearchParams(path.slice(path.indexOf('?') + 1));
  const isSse = query.get('alt') === 'sse' || query.get('$alt') === 'sse';
  return { end, api: geminiApi({ model, stream, isArray: stream && !isSse }) };
}

/** Whether a request that is passed through may be an agent's request to a model. */
export function mayAskModel(method: string, path: string): boolean {
  const plain = plainPath(path);
  return method === 'POST' && !withoutCalls.test(plain) && !threadMessages.test(plain);
}
