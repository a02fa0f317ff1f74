import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf } from '../record/json.ts';
import type { ToolCall, ToolResult, Usage } from '../record/message.ts';
import { type Answer, type AnswerDelta, contentOf, type StreamedAnswer } from './answer.ts';
import { geminiCall, geminiUsage } from './gemini.ts';
import { messagesFrom } from './messages.ts';
import { distinctCalls } from './openai-chat.ts';

/** A candidate of an answer, or what a record of a stream adds to it. */
interface Candidate extends Pick<Answer, 'text' | 'thought' | 'calls'> {
  readonly index: number;
  readonly finishReason: string | null;
  readonly parts: readonly JsonObject[];
  readonly unknownCalls: readonly string[];
}

/** A whole answer of Gemini's `generateContent`: the texts of its first candidate. @returns undefined if it is none */
export function readGeminiAnswer(body: JsonObject): Answer | undefined {
  if (!Array.isArray(body['candidates']) && !isObject(body['promptFeedback'])) return undefined;
  const candidates = candidatesIn(body);
  const [first] = candidates;
  return {
    id: idOf(body),
    text: first?.text ?? '',
    thought: first?.thought ?? '',
    calls: distinctCalls(candidates.map(({ calls }) => calls)),
    choices:
      candidates.length < 2 ? undefined : new Map(candidates.map(({ index, calls }) => [index, calls])),
    unknownCalls: candidates.flatMap(({ unknownCalls }) => unknownCalls),
    results: [],
    usage: geminiUsage(usageIn(body)) ?? null,
    finishReason: first?.finishReason ?? null,
  };
}

/** A streamed answer of Gemini: each record has the form of a whole answer, with what is new. Calls are never split. */
export class GeminiAnswer implements StreamedAnswer {
  id: string | null = null;
  rawUsage: JsonObject | null = null;
  finishReason: string | null = null;
  /** Text of the first candidate. */
  content = '';
  /** Parts of the first candidate. */
  readonly parts: JsonObject[] = [];
  /** The first record. */
  first: JsonObject | undefined;
  readonly unknownCalls: string[] = [];
  readonly results: readonly ToolResult[] = [];
  readonly #calls = new Map<number, ToolCall[]>([[0, []]]);
  readonly #finished = new Set<number>();
  readonly #candidates: number;

  /** @param request as far as it decides how many candidates there are */
  constructor(request: JsonObject) {
    const config = objectOf(request['generationConfig'] ?? request['generation_config']);
    this.#candidates = numberOf(config['candidateCount'] ?? config['candidate_count']) ?? 1;
  }

  get usage(): Usage | null {
    return geminiUsage(this.rawUsage) ?? null;
  }

  get calls(): readonly ToolCall[] {
    return distinctCalls([...this.#calls.values()]);
  }

  get choices(): ReadonlyMap<number, readonly ToolCall[]> | undefined {
    return this.#candidates > 1 ? this.#calls : undefined;
  }

  get completeCalls(): number {
    return this.calls.length;
  }

  read(record: JsonObject): AnswerDelta {
    this.first ??= record;
    this.id ??= idOf(record);
    const usage = usageIn(record);
    if (isObject(usage)) this.rawUsage = usage;
    const candidates = candidatesIn(record);
    for (const candidate of candidates) this.#add(candidate);
    const first = candidates.find(({ index }) => index === 0);
    return {
      ...(first !== undefined && first.text !== '' && { text: first.text }),
      ...(first !== undefined && first.thought !== '' && { thought: first.thought }),
      // Calls of one candidate are complete, so their record can be judged at once.
      ...(this.#candidates > 1 && candidates.some(({ calls }) => calls.length > 0) && { isOfCall: true }),
      ...(this.#isEnd(record) && { isEnd: true }),
    };
  }

  #add({ index, text, calls, parts, finishReason, unknownCalls }: Candidate): void {
    this.#calls.set(index, [...(this.#calls.get(index) ?? []), ...calls]);
    this.unknownCalls.push(...unknownCalls);
    if (finishReason !== null) this.#finished.add(index);
    if (index !== 0) return;
    this.finishReason ??= finishReason;
    this.content += text;
    this.parts.push(...parts);
  }

  /** A rejected prompt has no candidates. */
  #isEnd(record: JsonObject): boolean {
    const { blockReason } = objectOf(record['promptFeedback']);
    return this.#finished.size >= this.#candidates || blockReason !== undefined;
  }
}

function candidatesIn(body: JsonObject): Candidate[] {
  return listOf(body['candidates']).map((value, i) => {
    const candidate = objectOf(value);
    const parts = listOf(objectOf(candidate['content'])['parts']).map(objectOf);
    const { text, thought, calls } = contentOf(
      messagesFrom([{ role: 'model', parts: parts.filter((part) => !isPartial(part)) }]),
    );
    return {
      index: numberOf(candidate['index']) ?? i,
      text,
      thought,
      calls,
      parts,
      finishReason: textOf(candidate['finishReason'] ?? candidate['finish_reason']) ?? null,
      unknownCalls: parts.filter(isPartial).map(() => 'functionCall (streamed arguments)'),
    };
  });
}

/** Whether a part is a piece of a call whose arguments are streamed, which Vertex AI does on request. */
function isPartial(part: JsonObject): boolean {
  const call = geminiCall(part);
  return (
    call !== undefined &&
    ('partialArgs' in call || 'willContinue' in call || textOf(call['name']) === undefined)
  );
}

function idOf(body: JsonObject): string | null {
  return textOf(body['responseId'] ?? body['response_id']) ?? null;
}

function usageIn(body: JsonObject): unknown {
  return body['usageMetadata'] ?? body['usage_metadata'];
}
