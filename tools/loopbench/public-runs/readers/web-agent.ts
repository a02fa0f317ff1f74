import type { AgentEvent } from '@loopwatch/contract';
import * as z from 'zod';
import { eventsOf, type Turn } from '../recorded-run.ts';

const partSchema = z.looseObject({ type: z.string(), text: z.string().optional() });
const messageSchema = z.looseObject({
  /** `ai` in LangChain's messages. */
  type: z.string().optional(),
  /** `assistant` in the others. */
  role: z.string().optional(),
  content: z.union([z.string(), z.array(partSchema)]).nullish(),
});
const runSchema = z.object({
  task: z.object({ question: z.string() }),
  steps: z.array(
    z.object({
      llm_calls: z.array(
        z.object({
          messages_in: z.array(messageSchema),
          message_out: z.object({
            content: z.string().nullish(),
            tool_calls: z
              .array(z.object({ function: z.object({ name: z.string(), arguments: z.string() }) }))
              .nullish(),
          }),
        }),
      ),
    }),
  ),
});
/** Browser Use and Notte answer with a state and with actions, `{ click: { index: 3 } }`. */
const answerSchema = z.looseObject({
  current_state: z.record(z.string(), z.unknown()).optional(),
  state: z.record(z.string(), z.unknown()).optional(),
  action: z.array(z.record(z.string(), z.unknown())).optional(),
  actions: z.array(z.record(z.string(), z.unknown())).optional(),
});

type Message = z.infer<typeof messageSchema>;
type MessageOut = z.infer<typeof runSchema>['steps'][number]['llm_calls'][number]['message_out'];

/** Length of what is left of a page, characters. */
const MAX_RESULT = 20_000;
/** Browser Use counts its steps in each page. */
const stepCounter = /Current step: \d+\/\d+(?:Current date and time: [\d-]+ [\d:]+)?/g;
const browserUseAnswer = 'AgentOutput';

/**
 * A run of a web agent (Browser Use, Convergence Proxy Lite, Notte) in nottelabs/open-operator-evals. An agent sees the result
 * of its calls as the page in its next request.
 */
export function readWebAgent(sessionId: string, text: string): AgentEvent[] {
  const { task, steps } = runSchema.parse(JSON.parse(text));
  const requests = steps.flatMap(({ llm_calls }) => llm_calls);
  const turns = requests.map(({ message_out: answer }, i): Turn => {
    const { said, calls } = answerOf(answer);
    const next = requests[i + 1];
    const page = next === undefined ? undefined : pageIn(next.messages_in);
    const results = page === undefined ? [] : calls.map((_, k) => (k === calls.length - 1 ? page : 'done'));
    return { text: said, calls, results };
  });
  return eventsOf(sessionId, { prompt: task.question, turns });
}

function answerOf({ content, tool_calls }: MessageOut): { said: string; calls: Turn['calls'] } {
  const [first] = tool_calls ?? [];
  if (first !== undefined && first.function.name !== browserUseAnswer) {
    const calls = (tool_calls ?? []).map(({ function: { name, arguments: args } }) => ({
      name,
      args: objectIn(args),
    }));
    return { said: content ?? '', calls };
  }
  const answer = answerSchema.safeParse(objectIn(first?.function.arguments ?? content ?? ''));
  if (!answer.success) return { said: content ?? '', calls: [] };
  const { current_state, state, action, actions } = answer.data;
  const thoughts = Object.values(current_state ?? state ?? {}).filter((value) => typeof value === 'string');
  const calls = (action ?? actions ?? []).flatMap((one) =>
    Object.entries(one).map(([name, args]) => ({ name, args: objectOf(args) })),
  );
  return { said: thoughts.length > 0 ? thoughts.join('\n') : (content ?? ''), calls };
}

/** What an agent has seen since its latest answer. */
function pageIn(messages: readonly Message[]): string {
  const latest = messages.findLastIndex(({ type, role }) => type === 'ai' || role === 'assistant');
  const page = messages
    .slice(latest + 1)
    .map(({ content }) => textOf(content))
    .filter((part) => part !== '')
    .join('\n');
  return page.replace(stepCounter, '').slice(0, MAX_RESULT);
}

function textOf(content: Message['content']): string {
  if (!Array.isArray(content)) return content ?? '';
  return content.map((part) => part.text ?? JSON.stringify(part)).join('\n');
}

/** The JSON object in a text, also between ``` lines; empty if there is none. */
function objectIn(text: string): Record<string, unknown> {
  const from = text.indexOf('{');
  const to = text.lastIndexOf('}');
  if (from === -1 || to < from) return {};
  try {
    return objectOf(JSON.parse(text.slice(from, to + 1)));
  } catch {
    return {};
  }
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
