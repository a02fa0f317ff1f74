import protobuf from 'protobufjs/light.js';
import { isObject, listOf, objectOf, textOf } from '../record/json.ts';

/** Fields of a tool's output that hold what the model reads. */
const SHOWN = [
  'output_for_prompt',
  'tool_output_for_prompt',
  'summary_for_prompt',
  'summary',
  'content',
  'message',
];

/**
 * What a tool of Grok Build told the model. Its record also has what only the interface shows: the same as bytes, the file that
 * holds it, the call's own description. A record that is none of its tools' is unchanged.
 */
export function grokResult(record: unknown): unknown {
  const { type, ...output } = objectOf(record);
  if (typeof type !== 'string') return record;
  const parts = Object.values(output);
  for (const part of [output, ...parts.filter(isObject)])
    for (const name of SHOWN) {
      const text = textOf(part[name]);
      if (text !== undefined) return text;
    }
  const { stdout, output: answer } = output;
  if (typeof answer === 'string') return answer;
  if (Array.isArray(stdout)) {
    const bytes = Uint8Array.from(listOf(stdout).map(Number));
    return protobuf.util.utf8.read(bytes, 0, bytes.length);
  }
  return parts.length === 1 ? parts[0] : record;
}
