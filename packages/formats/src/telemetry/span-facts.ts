import {
  isObject,
  type JsonObject,
  numberOf,
  objectOf,
  textOf,
  tokensOf,
  unwrapped,
} from '../record/json.ts';
import type { Usage } from '../record/message.ts';
import type { Signal } from '../record/signal.ts';
import { langfuseUsage } from './langfuse.ts';

const sessionNames = [
  'gen_ai.conversation.id',
  'session.id',
  'langfuse.session.id',
  'gcp.vertex.agent.session_id',
  'spring.ai.chat.client.conversation.id',
  'conversation.id',
  'thread.id',
];

/** What the user of a library passes on as metadata, under a name of the user's choice. */
const metadata = [
  'traceloop.association.properties.',
  'ai.telemetry.metadata.',
  'langsmith.metadata.',
  'langfuse.trace.metadata.',
  'mastra.metadata.',
  '',
];
const chosenNames = [
  ...['session_id', 'sessionId', 'session.id'],
  ...['thread_id', 'threadId', 'conversation_id', 'conversationId', 'chat_id', 'chatId'],
];

/** The session id in the attributes of a span or its resource. */
export function sessionOf({ attributes, resource }: Signal): string | undefined {
  return (
    sessionIn(attributes, sessionNames) ??
    metadata
      .map((prefix) =>
        sessionIn(
          attributes,
          chosenNames.map((name) => `${prefix}${name}`),
        ),
      )
      .find((id) => id !== undefined) ??
    sessionIn(objectOf(unwrapped(attributes['metadata'])), chosenNames) ??
    textOf(unwrapped(attributes['mlflow.trace.session'])) ??
    textOf(resource['session.id'])
  );
}

function sessionIn(facts: JsonObject, names: readonly string[]): string | undefined {
  return names.map((name) => textOf(facts[name])).find((id) => id !== undefined);
}

/** The agent's name, else that of the service; SDKs name an unnamed service `unknown_service:<process>`. */
export function agentOf({ attributes: a, resource }: Signal): string | undefined {
  const service = textOf(resource['service.name']);
  return (
    textOf(a['gen_ai.agent.name']) ??
    textOf(a['agent.name']) ??
    (service?.startsWith('unknown_service') ? undefined : service) ??
    textOf(a['ai.telemetry.functionId'])
  );
}

/** The model that answered, else the requested one. */
export function modelOf({ attributes: a }: Signal): string | undefined {
  return (
    textOf(a['gen_ai.response.model']) ??
    textOf(a['gen_ai.request.model']) ??
    textOf(a['llm.model_name']) ??
    textOf(a['langfuse.observation.model.name']) ??
    textOf(unwrapped(a['mlflow.llm.model']))
  );
}

/** The first of these attributes that is a number. */
export function firstNumber(attributes: JsonObject, ...names: readonly string[]): number | undefined {
  return names.map((name) => numberOf(attributes[name])).find((number) => number !== undefined);
}

function mlflowUsage(a: JsonObject): Usage | undefined {
  const { input_tokens: input, output_tokens: output } = objectOf(unwrapped(a['mlflow.chat.tokenUsage']));
  const inputTokens = tokensOf(input);
  return inputTokens === undefined ? undefined : { inputTokens, outputTokens: tokensOf(output) };
}

export function usageOf({ attributes: a }: Signal): Usage | undefined {
  const input = firstNumber(
    a,
    'gen_ai.usage.input_tokens',
    'llm.token_count.prompt',
    'gen_ai.usage.prompt_tokens',
    'ai.usage.promptTokens',
    'ai.usage.inputTokens',
  );
  const output = firstNumber(
    a,
    'gen_ai.usage.output_tokens',
    'llm.token_count.completion',
    'gen_ai.usage.completion_tokens',
    'ai.usage.completionTokens',
    'ai.usage.outputTokens',
  );
  if (input === undefined && output === undefined)
    return langfuseUsage(unwrapped(a['langfuse.observation.usage_details'])) ?? mlflowUsage(a);
  const { cachedInputTokens, cacheWriteTokens, reasoningTokens } = detailsIn(a);
  const cached = (cachedInputTokens ?? 0) + (cacheWriteTokens ?? 0);
  return {
    // By the conventions it includes cached tokens; some pass on what an API reports that excludes them.
    inputTokens: (input ?? 0) + (cached > (input ?? 0) ? cached : 0),
    outputTokens: output ?? 0,
    cachedInputTokens,
    cacheWriteTokens,
    reasoningTokens,
  };
}

const usageNames = /^(?:gen_ai\.usage|llm\.(?:token_count|usage)|ai\.usage)\./;
const details = {
  cachedInputTokens: /cache_?read|cached|cache_input/i,
  cacheWriteTokens: /cache_?(?:write|creation)/i,
  reasoningTokens: /reasoning|thought/i,
};

/** The details of usage: every convention names them in its own way, LangSmith as JSON. The largest is the total. */
function detailsIn(a: JsonObject): Pick<Usage, keyof typeof details> {
  const counts = Object.entries(a)
    .filter(([name]) => usageNames.test(name) && !name.includes('cost'))
    .flatMap(([name, value]): [string, unknown][] => {
      const held = unwrapped(value);
      return isObject(held)
        ? Object.entries(held).map(([key, one]) => [`${name}.${key}`, one])
        : [[name, value]];
    });
  const largest = (pattern: RegExp) => {
    const found = counts.flatMap(([name, count]) => (pattern.test(name) ? (tokensOf(count) ?? []) : []));
    return found.length === 0 ? undefined : Math.max(...found);
  };
  return {
    cachedInputTokens: largest(details.cachedInputTokens),
    cacheWriteTokens: largest(details.cacheWriteTokens),
    reasoningTokens: largest(details.reasoningTokens),
  };
}

/** What the producer says that the request cost, in US dollars; 0 is not known. */
export function costOf({ attributes: a }: Signal): number | undefined {
  const cost =
    firstNumber(
      a,
      'gen_ai.usage.cost',
      'gen_ai.usage.total_cost',
      'gen_ai.cost.total_cost',
      'llm.cost.total',
      'operation.cost',
    ) ?? numberOf(objectOf(unwrapped(a['langfuse.observation.cost_details']))['total']);
  return cost !== undefined && cost > 0 ? cost : undefined;
}
