import { type AgentEvent, storableText } from '@loopwatch/contract';
import { genericHookSchema, type HookAgent, hookAgents } from '@loopwatch/contract/api';
import { isRefused } from '@loopwatch/detectors';
import { type HookAgent as HookFormat, hookSession, readHookInput } from '@loopwatch/formats';
import { Router } from 'express';
import { limits } from '../events/limits.ts';
import { jsonBody, parseBody } from '../http/parse-body.ts';
import { HttpProblem, methodNotAllowed } from '../http/problem.ts';
import { answerGenericHook } from './generic-hook.ts';
import type { Guard } from './guard.ts';
import { advice, CONTINUE, denial, endOf, type HookAnswer, loopIn, warning } from './hook-answer.ts';

const formats: Readonly<Record<HookAgent, HookFormat>> = {
  'claude-code': 'claude-code',
  codex: 'codex',
  gemini: 'gemini-cli',
};

/** `POST /hooks/:agent`: takes a hook's input and answers in the agent's format. */
export function hooksApi(guard: Guard): Router {
  const router = Router();
  router
    .route('/hooks/generic')
    .post(jsonBody(limits.eventBytes), async (request, response) => {
      response.json(await answerGenericHook(guard, parseBody(request, genericHookSchema)));
    })
    .all(methodNotAllowed('POST'));
  router
    .route('/hooks/:agent')
    .post(jsonBody(limits.eventBytes), async (request, response) => {
      const agent = hookAgents.find((name) => name === request.params.agent);
      if (agent === undefined)
        throw new HttpProblem(
          404,
          `Unknown agent ${request.params.agent}; expected one of ${hookAgents.join(', ')}, generic`,
        );
      response.json(await answerTo(guard, agent, inputOf(request.body)));
    })
    .all(methodNotAllowed('POST'));
  return router;
}

interface HookInput {
  readonly [field: string]: unknown;
  readonly hook_event_name: string;
}

function inputOf(body: unknown): HookInput {
  const input = body as Partial<Record<string, unknown>> | null | undefined;
  for (const field of ['hook_event_name', 'session_id']) {
    if (typeof input?.[field] === 'string' && input[field] !== '') continue;
    throw new HttpProblem(400, `${field}: expected a non-empty string`);
  }
  return input as HookInput;
}

async function answerTo(guard: Guard, agent: HookAgent, input: HookInput): Promise<HookAnswer> {
  // Claude Code goes on after a denied call, whatever the answer says; after a batch of calls, it can be ended.
  if (input.hook_event_name === 'PostToolBatch')
    return endOf(guard.takeEnd(storableText(hookSession(input).sessionId)));
  const { events } = readHookInput(input, formats[agent]);
  const [first] = events;
  if (first === undefined) return CONTINUE;
  const sessionId = storableText(first.sessionId ?? '');
  const isBeforeCall = events.length === 1 && first.type === 'tool_call_request';
  if (isBeforeCall) return answerToCall(guard, agent, sessionId, first as Call);
  const found = loopIn(await guard.record(sessionId, events));
  return found === undefined ? CONTINUE : advice(input.hook_event_name, found.guidance);
}

type Call = Extract<AgentEvent, { type: 'tool_call_request' }>;

async function answerToCall(
  guard: Guard,
  agent: HookAgent,
  sessionId: string,
  call: Call,
): Promise<HookAnswer> {
  const decision = await guard.decide({ sessionId, name: call.name, args: call.args });
  if (!isRefused(decision)) {
    await guard.record(sessionId, [call]);
    return decision.reason === null || !guard.shouldWarn(decision) ? CONTINUE : warning(decision.reason);
  }
  return denial(agent, await guard.recordDenied(sessionId, call, decision), decision.action === 'stop');
}
