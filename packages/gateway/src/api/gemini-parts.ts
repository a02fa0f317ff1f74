import type { Json, SyntheticReply } from './conversation.ts';
import { isObject, objects, replaceLast } from './json.ts';

/** The parts of a content. Gemini accepts a single one without its list, and names in both cases. */
export function partsOf({ parts }: Json): Json[] {
  return isObject(parts) ? [parts] : objects(parts);
}

/** What the model says. */
export function modelContent(said: string): Json {
  return { role: 'model', parts: [{ text: said }] };
}

/** Gemini's finish reasons have none for a loop; clients validate them. */
export const FINISHED = 'STOP';

/** What replaces a candidate. */
export function refusal({ text, details }: SyntheticReply): Json {
  return { content: modelContent(text), finishReason: FINISHED, ...(details && { loopwatch: details }) };
}

function responseKey(part: Json): string | undefined {
  return ['functionResponse', 'function_response'].find((key) => isObject(part[key]));
}

/** The contents with the last response of a function edited; unchanged if there is none. */
export function editLastResponse(contents: readonly Json[], edit: (response: unknown) => unknown): Json[] {
  const isResponse = (part: Json): boolean => responseKey(part) !== undefined;
  const edited = (part: Json): Json => {
    const key = responseKey(part) ?? '';
    const held = part[key];
    return isObject(held) ? { ...part, [key]: { ...held, response: edit(held['response']) } } : part;
  };
  return replaceLast(
    contents,
    (content) => partsOf(content).some(isResponse),
    (content) => ({ ...content, parts: replaceLast(partsOf(content), isResponse, edited) }),
  );
}
