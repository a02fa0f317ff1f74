import type { Json } from './conversation.ts';
import { isObject, objects, replaceLast } from './json.ts';

/** The parts of a content. Gemini accepts a single one without its list, and names in both cases. */
export function partsOf({ parts }: Json): Json[] {
  return isObject(parts) ? [parts] : objects(parts);
}

/** The call in a part. */
export function callPart(part: Json): Json | undefined {
  const call = part['functionCall'] ?? part['function_call'];
  return isObject(call) ? call : undefined;
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
