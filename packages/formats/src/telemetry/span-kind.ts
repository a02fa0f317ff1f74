import { isObject, type JsonObject, nameOf, textOf, unwrapped } from '../record/json.ts';
import type { Signal } from '../record/signal.ts';

/** Logfire's name for the span of a function that an agent of OpenAI's SDK calls. */
export const FUNCTION_TEMPLATE = 'Function: {name}';

/** Name of the log record of a request to a model. */
export const DETAILS = 'gen_ai.client.inference.operation.details';

/** The kind of a span by the conventions of GenAI, OpenInference, OpenLLMetry or the AI SDK. */
export function kindOf({ name, attributes }: Signal): 'model' | 'tool' | 'execution' | 'results' | undefined {
  const operation = attributes['gen_ai.operation.name'];
  // Haystack by OpenInference: the results of one or more calls, which have no spans of their own.
  if (attributes['openinference.span.kind'] === 'CHAIN' && name.startsWith('ToolInvoker.')) return 'results';
  // Repeats the results of parallel calls, each of which has its own span.
  if (attributes['gen_ai.tool.name'] === '(merged tools)') return undefined;
  if (operation === 'execute_tool' || isToolOfPydanticAi(attributes)) return 'tool';
  if (models.has(nameOf(operation))) return 'model';
  if (name === 'claude_code.tool.execution') return 'execution';
  const observation = attributes['langfuse.observation.type'];
  if (observation === 'tool') return 'tool';
  if (observation === 'generation') return 'model';
  const kind = spanKinds.map((key) => attributes[key]).find((value) => value !== undefined);
  const known = kinds.get(nameOf(kind).toLowerCase());
  if (known !== undefined) return known;
  // OpenLLMetry of LlamaIndex: the task that calls the tool.
  if (kind === 'task' && 'tool.name' in attributes && 'tool.arguments' in attributes) return 'tool';
  if (/^llm$/i.test(nameOf(kind))) return isRequest(attributes) ? 'model' : undefined;
  if (attributes['llm.request.type'] === 'chat') return 'model';
  const own = textOf(attributes['ai.operationId']) ?? name;
  if (own === 'ai.toolCall') return 'tool';
  // Their parent spans repeat the same content.
  if (/^ai\.\w+\.do(?:Stream|Generate)$/.test(own)) return 'model';
  // Without content, another span of the same request has the usage.
  if (name === 'call_llm' && isContent(attributes['gcp.vertex.agent.llm_response'])) return 'model';
  if (name === DETAILS) return 'model';
  return isRequestByAnotherName(attributes) ? 'model' : undefined;
}

/** The conventions let an instrumentation name its operations as it likes: `responses`, `converse`, `messages.create`. */
function isRequestByAnotherName(a: JsonObject): boolean {
  return (
    requestNames.test(nameOf(a['gen_ai.operation.name'])) &&
    modelNames.some((name) => name in a) &&
    usageFacts.some((name) => name in a)
  );
}

const requestNames =
  /^(?!.*(?:agent|workflow|embed|tool)).*(?:chat|complet|respon[sd]e|message|converse|invoke_model|generat|stream)/i;
const modelNames = ['gen_ai.request.model', 'gen_ai.response.model'];
const usageFacts = ['gen_ai.usage.output_tokens', 'gen_ai.output.messages'];

const spanKinds = [
  'openinference.span.kind',
  'traceloop.span.kind',
  'langsmith.span.kind',
  'mlflow.spanType',
  'spring.ai.kind',
  'logfire.msg_template',
];

/** Values of these attributes; those of MLflow are JSON. `llm` may be a part of a request. */
const kinds: ReadonlyMap<string, 'model' | 'tool'> = new Map([
  ['tool', 'tool'],
  ['"tool"', 'tool'],
  ['"chat_model"', 'model'],
  ['"llm"', 'model'],
  ['tool_call', 'tool'],
  [FUNCTION_TEMPLATE.toLowerCase(), 'tool'],
  ['chat completion with {request_data[model]!r}', 'model'],
  ['chat completion with {gen_ai.request.model!r}', 'model'],
  ['message with {request_data[model]!r}', 'model'],
  ['responses api with {gen_ai.request.model!r}', 'model'],
]);

/** Before version 3 of its instrumentation, Pydantic AI named no operation. */
function isToolOfPydanticAi(attributes: JsonObject): boolean {
  return (
    'gen_ai.tool.name' in attributes && ('tool_arguments' in attributes || 'tool_response' in attributes)
  );
}

/** Whether a span of OpenInference is a request: LlamaIndex has spans for its preparations, and one around a stream. */
function isRequest(attributes: JsonObject): boolean {
  return (
    !('openinference.span.kind' in attributes) ||
    Object.keys(attributes).some((name) => requestFacts.test(name))
  );
}

const requestFacts = /^llm\.(?:input_messages|output_messages|token_count)\.|^gen_ai\./;

/** Gemini CLI logs the usage of a response in another record, and again with its messages, or without them. */
export function isBesideResponse({ name, attributes }: Signal): boolean {
  return name === DETAILS && 'installation.id' in attributes;
}

function isContent(value: unknown): boolean {
  return isObject(unwrapped(value)) && value !== '{}';
}

const models = new Set(['chat', 'text_completion', 'generate_content', 'gen_ai.client.inference']);
