import { geminiCall, joinedText, readGeminiAnswer } from '@loopwatch/formats/wire';
import type { Api } from './api.ts';
import { editUserTexts } from './content.ts';
import { type Conversation, continuePrompt, type Guidance, guidanceFor, type Json } from './conversation.ts';
import { jsonArray, serverSentEvents } from './framing.ts';
import { editLastResponse, modelContent, partsOf, refusal } from './gemini-parts.ts';
import { GeminiStream, syntheticAnswer } from './gemini-stream.ts';
import { historyItems } from './history.ts';
import {
  count,
  hasTools,
  isObject,
  limitedResult,
  objects,
  remembered,
  sessionNames,
  text,
  without,
} from './json.ts';

/** What Gemini puts into the path of a request. */
export interface GeminiPath {
  readonly model: string;
  readonly stream: boolean;
  /** Whether a stream is a JSON array instead of server-sent events. */
  readonly isArray: boolean;
}

/** Content without a role is of the user. */
const withRole = remembered(
  (content: Json): Json => ('role' in content ? content : { role: 'user', ...content }),
);
const contentsOf = (body: Json): Json[] => objects(body['contents']).map(withRole);

/** Gemini's `POST …/models/{model}:generateContent` and `:streamGenerateContent`. */
export function geminiApi({ model, stream, isArray }: GeminiPath): Api {
  return {
    kind: 'gemini',
    backend: 'gemini',
    historyKey: 'contents',
    usageKey: 'usageMetadata',
    framing: isArray ? jsonArray : serverSentEvents,

    readRequest(body) {
      if (!Array.isArray(body['contents'])) return undefined;
      const instruction = body['systemInstruction'] ?? body['system_instruction'];
      const system = joinedText(isObject(instruction) ? partsOf(instruction) : instruction);
      return {
        model,
        stream,
        items: [
          ...(system === '' ? [] : [{ role: 'system' as const, text: system }]),
          ...historyItems(contentsOf(body)),
        ],
        names: sessionNames(body),
        previous: null,
        keepsHistory: false,
      } satisfies Conversation;
    },

    readReply: readGeminiAnswer,

    withUserTexts(body, edit, isCommandReply) {
      const shape = { key: 'parts', model: 'model' };
      return { ...body, contents: editUserTexts(contentsOf(body), edit, isCommandReply, shape) };
    },

    withGuidance(body, reply, guidance) {
      const [candidate] = objects(reply['candidates']);
      const content = isObject(candidate?.['content']) ? candidate['content'] : {};
      return { ...body, contents: [...contentsOf(body), ...guidanceContents(content, guidance)] };
    },

    withNote(body, note, as) {
      const contents = contentsOf(body);
      if (as === 'assistant') return { ...body, contents: [...contents, ...asModel(note)] };
      // Texts are allowed beside the responses of functions.
      const last = contents.at(-1);
      const isUser = last !== undefined && last['role'] !== 'model';
      const before = isUser ? contents.slice(0, -1) : contents;
      const parts = [...(isUser ? partsOf(last) : []), { text: note }];
      return { ...body, contents: [...before, { role: 'user', ...(isUser && last), parts }] };
    },

    withLimit(body, message) {
      const limited = (response: unknown): unknown => JSON.parse(limitedResult(response ?? {}, message));
      const contents = editLastResponse(contentsOf(body), limited);
      if (!hasTools(body)) return { ...body, contents };
      const functionCallingConfig = { mode: 'NONE' };
      const config = body['toolConfig'] ?? body['tool_config'];
      const toolConfig = {
        ...(isObject(config) && without(config, 'function_calling_config')),
        functionCallingConfig,
      };
      return { ...without(body, 'tool_config'), contents, toolConfig };
    },

    withRefused(_, reply, refused) {
      const candidates = objects(reply['candidates']).map((candidate, i) => {
        const synthetic = refused.get(count(candidate['index']) ?? i);
        return synthetic === undefined ? candidate : { ...candidate, ...refusal(synthetic) };
      });
      return { ...reply, candidates };
    },

    syntheticReply: (_, reply, usage) => syntheticAnswer(model, reply, usage),

    stream: (body) => new GeminiStream(body, { model, isArray }),
  };
}

/** The content with the calls, then a response for each of them. */
function guidanceContents(content: Json, guidance: Guidance): Json[] {
  const calls = partsOf(content)
    .map(geminiCall)
    .filter((call) => call !== undefined);
  if (guidance.as === 'assistant' || calls.length === 0) return asModel(guidance.text);
  const parts = calls.map((call, i) => {
    const { id, name } = call;
    const response = { error: guidanceFor(guidance, i) };
    return { functionResponse: { ...(text(id) !== null && { id }), name: text(name) ?? '', response } };
  });
  return [
    { ...content, role: 'model' },
    { role: 'user', parts },
  ];
}

/** The conversation has to end with the user. */
function asModel(said: string): Json[] {
  return [modelContent(said), { role: 'user', parts: [{ text: continuePrompt }] }];
}
