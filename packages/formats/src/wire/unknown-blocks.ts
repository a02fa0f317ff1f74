import { type JsonObject, nameOf } from '../record/json.ts';
import { isResultBlock } from './anthropic.ts';
import { isToolPart } from './ui-message.ts';

/** Types of blocks that are read, or that say nothing about calls. */
const known =
  /^(?:(?:input_|output_|summary_)?(?:text|image|audio|file|video)|(?:image|audio|video|file|document)_url|refusal|document|search_result|container_upload|compaction|citation|annotations?|(?:streaming_)?file_reference|resource(?:_link)?|(?:redacted_)?thinking|think|(?:redacted-|text_)?reasoning|usage|function_approval_(?:request|response)|(?:server_|mcp_)?tool_use|tool_call(?:_response)?|tool-(?:call|result|error)|toolCall|tool-approval-(?:request|response)|source(?:-url|-document)?|step-start|data-.*|blob|uri|media|binary|cache_?point|guard_content|fallback)$/i;
/** Names of blocks without a type, as of Gemini and Bedrock. */
const names = [
  'text',
  'thought',
  'thoughtSignature',
  'functionCall',
  'functionResponse',
  'function_call',
  'function_response',
  'inlineData',
  'inline_data',
  'fileData',
  'file_data',
  'executableCode',
  'executable_code',
  'codeExecutionResult',
  'code_execution_result',
  'toolUse',
  'toolResult',
  'reasoningContent',
  'citationsContent',
  'image',
  'document',
  'video',
  'audio',
  'cachePoint',
  'guardContent',
  'searchResult',
];

/** The type of a block that no API is known to have; undefined if one has it. It may be a call. */
export function unknownBlock(block: JsonObject): string | undefined {
  const { type } = block;
  if (type === undefined || type === null) {
    const [name] = Object.keys(block);
    return name === undefined || names.some((one) => one in block) ? undefined : name;
  }
  const isKnown = known.test(nameOf(type)) || isResultBlock(block) || isToolPart(block);
  return isKnown ? undefined : nameOf(type);
}
