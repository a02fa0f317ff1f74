import { isClientCall } from '@loopwatch/formats/wire';
import { withEditedText } from './content.ts';
import type { Json } from './conversation.ts';
import { isObject, objects, replaceLast, text } from './json.ts';

/** Whether an item of a Responses request is the output of a call that the client ran. */
export function isOutput({ type }: Json): boolean {
  return String(type).endsWith('_call_output');
}

/** The output item with which a client reports that it did not make a call; undefined if no text is allowed in it. */
export function failedOutput(call: Json, error: string): Json | undefined {
  if (!isClientCall(call)) return undefined;
  const { type, call_id: id } = call;
  const output = JSON.stringify({ error });
  switch (type) {
    case 'function_call':
    case 'custom_tool_call':
      return { type: `${type}_output`, call_id: id, output };
    case 'local_shell_call':
      return { type: 'local_shell_call_output', id, output };
    case 'apply_patch_call':
      return { type: 'apply_patch_call_output', call_id: id, status: 'failed', output: error };
    case 'shell_call': {
      const failed = { stdout: '', stderr: error, outcome: { type: 'exit', exit_code: 1 } };
      return { type: 'shell_call_output', call_id: id, output: [failed] };
    }
    default:
      return undefined;
  }
}

/** The input with the text of its last output edited; with the note as a user message if there is no such text. */
export function editLastOutput(
  input: readonly Json[],
  edit: (output: string) => string,
  note: string,
): readonly Json[] {
  const last = input.findLast(isOutput);
  const edited = last && editOutput(last, edit);
  return edited === undefined
    ? [...input, { role: 'user', content: note }]
    : replaceLast(input, isOutput, () => edited);
}

/** @returns undefined if the output has no text, as a screenshot */
function editOutput(item: Json, edit: (output: string) => string): Json | undefined {
  const { type, output } = item;
  if (type === 'computer_call_output') return undefined;
  if (type !== 'shell_call_output') return { ...item, output: withEditedText(output, 'input_text', edit) };
  const commands = objects(output);
  const stdout = edit(text(commands.at(-1)?.['stdout']) ?? '');
  if (commands.length === 0) return undefined;
  return { ...item, output: replaceLast(commands, isObject, (command) => ({ ...command, stdout })) };
}
