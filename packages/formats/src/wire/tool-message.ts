import { isObject, objectOf, textOf, unwrapped } from '../record/json.ts';
import { plainResult } from './result.ts';

interface ToolMessage {
  readonly callId: string | undefined;
  readonly result: unknown;
  readonly isError: boolean | undefined;
}

/** How Python writes a message of LangChain. */
const written = /^content=(['"])([\s\S]*?)\1 (?:name|tool_call_id|id|additional_kwargs)=/;
const writtenId = /\btool_call_id='([^']+)'/;

/** The tool message of LangChain in an output, which has the id of the call. */
export function toolMessageOf(output: unknown): ToolMessage | undefined {
  const value = unwrapped(output);
  const held = isObject(value) && 'output' in value ? value['output'] : value;
  if (typeof held === 'string') {
    const content = written.exec(held)?.[2];
    if (content === undefined) return undefined;
    const isError = held.includes("status='error'") ? true : undefined;
    return { callId: writtenId.exec(held)?.[1], result: content, isError };
  }
  const outer = objectOf(held);
  const message = objectOf(outer['kwargs'] ?? outer['data'] ?? held);
  if (!('tool_call_id' in message && 'content' in message)) return undefined;
  return {
    callId: textOf(message['tool_call_id']),
    result: plainResult(message['content']),
    isError: message['status'] === 'error' ? true : undefined,
  };
}
