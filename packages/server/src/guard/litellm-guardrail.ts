import { createHash } from 'node:crypto';
import { type GuardrailAnswer, type GuardrailRequest, guardrailRequestSchema } from '@loopwatch/contract/api';
import { isRefused } from '@loopwatch/detectors/internal';
import { Translator } from '@loopwatch/formats';
import { Router } from 'express';
import { LRUCache } from 'lru-cache';
import { limits } from '../events/limits.ts';
import { exactBody, parseBody } from '../http/parse-body.ts';
import { methodNotAllowed } from '../http/problem.ts';
import type { Guard } from './guard.ts';

/** Requests whose responses may still come. */
const MAX_REQUESTS = 10_000;

const PASS: GuardrailAnswer = { action: 'NONE', blocked_reason: null };

/** LiteLLM's Generic Guardrail API; LiteLLM appends the end of the path to its `api_base`. */
export function litellmGuardrail(guard: Guard): Router {
  const sessions = new LRUCache<string, string>({ max: MAX_REQUESTS });
  const router = Router();
  router
    .route('/hooks/litellm/beta/litellm_basic_guardrail_api')
    .post(exactBody(limits.eventBytes), async (request, response) => {
      const input = parseBody(request, guardrailRequestSchema);
      const callId = input.litellm_call_id ?? undefined;
      if (input.input_type === 'response') {
        const session = (callId && sessions.get(callId)) ?? namedSession(input);
        response.json(session === undefined ? PASS : await answerCalls(guard, session, input));
        return;
      }
      const session = namedSession(input) ?? sessionByBeginning(input);
      if (callId !== undefined) sessions.set(callId, session);
      const messages = input.structured_messages ?? [];
      const translator = new Translator({ format: 'messages', session });
      // A history repeats what earlier ones had; its events have the same ids.
      const { events } = translator.readValue({ messages });
      await guard.record(
        session,
        events.map((event) => ({ ...event, agent: 'litellm' })),
      );
      response.json(PASS);
    })
    .all(methodNotAllowed('POST'));
  return router;
}

/** Decides the calls in a response. Those that run are recorded with the next request, whose history has them. */
async function answerCalls(
  guard: Guard,
  sessionId: string,
  input: GuardrailRequest,
): Promise<GuardrailAnswer> {
  for (const { id, function: called } of input.tool_calls ?? []) {
    const name = called.name ?? '';
    const args = called.arguments ?? '';
    const decision = await guard.decide({ sessionId, name, args });
    if (!isRefused(decision)) continue;
    const ids = id == null ? {} : { id: `call:${id}`, callId: id };
    const call = { ...ids, type: 'tool_call_request', name, args, agent: 'litellm' } as const;
    return { action: 'BLOCKED', blocked_reason: await guard.recordDenied(sessionId, call, decision) };
  }
  return PASS;
}

function namedSession({ request_headers: headers }: GuardrailRequest): string | undefined {
  const named = Object.entries(headers ?? {}).find(([name]) => /^x-litellm-session-id$/i.test(name))?.[1];
  return named === undefined || named === '' ? undefined : named;
}

/** An id of the conversation that begins with these messages, up to the first of the user. */
function sessionByBeginning({ model, structured_messages: messages }: GuardrailRequest): string {
  const all = messages ?? [];
  const first = all.slice(0, all.findIndex(({ role }) => role === 'user') + 1);
  const text = JSON.stringify([model, first.map(({ role, content }) => [role, content])]);
  return `litellm-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}
