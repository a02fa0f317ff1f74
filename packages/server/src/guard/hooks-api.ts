import { type AgentEvent, storableText } from '@loopwatch/contract';
import {
  type GenericHookAnswer,
  genericHookSchema,
  type HookAgent,
  hookAgents,
} from '@loopwatch/contract/api';
import { isDenial, isRefused } from '@loopwatch/detectors/internal';
import type { Copies } from '@loopwatch/formats';
import {
  type HookAgent as HookFormat,
  hookAgentOf,
  hookEventOf,
  hookSession,
  readHookInput,
} from '@loopwatch/formats';
import { type Request, Router } from 'express';
import { LRUCache } from 'lru-cache';
import { limits } from '../events/limits.ts';
import { exactBody, parseBody } from '../http/parse-body.ts';
import { HttpProblem, methodNotAllowed } from '../http/problem.ts';
import { Approvals } from './approvals.ts';
import { answerGenericHook } from './generic-hook.ts';
import type { Guard } from './guard.ts';
import {
  acceptance,
  advice,
  CONTINUE,
  denial,
  endOf,
  type HookAnswer,
  loopIn,
  question,
  warning,
} from './hook-answer.ts';
import { HookTurns } from './hook-turns.ts';
import { SubAgents } from './sub-agents.ts';
import { TranscriptUsage } from './transcript-usage.ts';

const MAX_SESSIONS = 2_000;

const formats: Readonly<Record<HookAgent, HookFormat>> = {
  'claude-code': 'claude-code',
  codex: 'codex',
  gemini: 'gemini-cli',
  copilot: 'copilot-cli',
  cursor: 'cursor',
  opencode: 'opencode',
  pi: 'pi',
  kimi: 'kimi-code',
  grok: 'grok',
  hermes: 'hermes',
};

/** `POST /hooks/:agent`: takes a hook's input and answers in the agent's format. */
export function hooksApi(guard: Guard, copies: Copies): Router {
  const hooks: Hooks = {
    guard,
    turns: new HookTurns(),
    prompts: new LRUCache({ max: MAX_SESSIONS }),
    usage: new TranscriptUsage(copies),
    approvals: new Approvals(),
    subAgents: new SubAgents(),
  };
  const genericTurns = new HookTurns<GenericHookAnswer>();
  const router = Router();
  router
    .route('/hooks/generic')
    .post(exactBody(limits.eventBytes), async (request, response) => {
      response.json(await answerGenericHook(guard, genericTurns, parseBody(request, genericHookSchema)));
    })
    .all(methodNotAllowed('POST'));
  router
    .route('/hooks/:agent')
    .post(exactBody(limits.eventBytes), async (request, response) => {
      const named = hookAgents.find((name) => name === request.params.agent);
      if (named === undefined)
        throw new HttpProblem(
          404,
          `Unknown agent ${request.params.agent}; expected one of ${hookAgents.join(', ')}, generic`,
        );
      const sent = inputOf(request.body);
      // Grok Build calls the hooks in the settings of Claude Code and Cursor, too.
      const agent = hookAgentOf(sent) === 'grok' ? 'grok' : named;
      const input = agent === 'kimi' ? hooks.subAgents.attributed(sent) : sent;
      if (input === undefined) {
        response.json(CONTINUE);
        return;
      }
      const recordUsage = () =>
        isLocal(request) ? recordTranscript(hooks, agent, input) : Promise.resolve();
      // The usage of a turn counts before its call is decided; a turn ends after the results of its calls.
      const isAfterCall = /^(?:post|after)_?tool/i.test(hookEventOf(input));
      if (!isAfterCall) await recordUsage();
      const answer = await answerTo(hooks, agent, input);
      if (isAfterCall) await recordUsage();
      response.json(answer);
    })
    .all(methodNotAllowed('POST'));
  return router;
}

interface Hooks {
  readonly guard: Guard;
  readonly turns: HookTurns<HookAnswer>;
  /** The latest prompt of each session. */
  readonly prompts: LRUCache<string, string>;
  readonly usage: TranscriptUsage;
  readonly approvals: Approvals;
  readonly subAgents: SubAgents;
}

/** Whether the agent runs on this machine: a path that another one names is not a path here. */
function isLocal({ socket, headers }: Request): boolean {
  const isLoopback = /^(?:::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? '');
  return isLoopback && headers['x-forwarded-for'] === undefined && headers['forwarded'] === undefined;
}

type HookInput = Readonly<Record<string, unknown>>;

function inputOf(body: unknown): HookInput {
  const input = (typeof body === 'object' && body !== null ? body : {}) as HookInput;
  const required = { hook_event_name: hookEventOf(input), session_id: hookSession(input).sessionId };
  for (const [field, value] of Object.entries(required))
    if (value === '') throw new HttpProblem(400, `${field}: expected a non-empty string`);
  return input;
}

/** Records the usage that the agent's transcript reports. */
async function recordTranscript({ guard, usage }: Hooks, agent: HookAgent, input: HookInput): Promise<void> {
  const { transcript_path: path, agent_id: subAgent } = input;
  const format = formats[agent];
  // A sub-agent names the transcript of its parent; those of Grok Build do not tell of usage.
  if (typeof path !== 'string' || subAgent !== undefined || format === 'grok' || format === 'hermes') return;
  const sessionId = storableText(hookSession(input).sessionId);
  const { events, isHistory } = await usage.read({ sessionId, agent: format, path });
  if (isHistory) await guard.catchUp(sessionId, events);
  // The events of hooks come at the time of the server.
  else
    await guard.record(
      sessionId,
      events.map((event) => ({ ...event, time: undefined })),
    );
}

async function answerTo(hooks: Hooks, agent: HookAgent, input: HookInput): Promise<HookAnswer> {
  const { guard, turns, approvals } = hooks;
  // Claude Code goes on after a denied call, whatever the answer says; after a batch of calls, it can be ended.
  if (hookEventOf(input) === 'PostToolBatch') {
    const session = storableText(hookSession(input).sessionId);
    await guard.record(session, turns.end(session));
    return endOf(guard.takeEnd(session));
  }
  // The clock of the agent's machine may be wrong.
  const read = readHookInput(input, formats[agent]).events;
  const events = read.map((event) => ({ ...event, ...doubted(hooks, event), time: undefined }));
  const [first] = events;
  if (first === undefined) return CONTINUE;
  const sessionId = storableText(first.sessionId ?? '');
  const isBeforeCall = events.length === 1 && first.type === 'tool_call_request';
  if (isBeforeCall) {
    const call = first as Call;
    return turns.answer(sessionId, call, async (begun) => {
      await guard.record(sessionId, begun);
      return answerToCall(hooks, agent, sessionId, call);
    });
  }
  const last = events.at(-1);
  // Kimi Code and Hermes tell of a denied call as of one that has failed.
  if (last?.type === 'tool_result' && isDenial((last as { readonly result?: unknown }).result))
    return CONTINUE;
  approvals.onEvents(sessionId, events);
  const end = turns.end(sessionId);
  const isAfterCall = last?.type === 'tool_result';
  const found = loopIn(
    await guard.record(sessionId, isAfterCall ? [...events, ...end] : [...end, ...events]),
  );
  if (found === undefined) return first.type === 'prompt_started' ? acceptance(agent) : CONTINUE;
  return advice(agent, hookEventOf(input), found.guidance);
}

/** A program, too, may send a prompt, again and again: then its time tells who wrote it. */
function doubted({ prompts }: Hooks, event: AgentEvent): { readonly origin?: undefined } {
  if (event.type !== 'prompt_started') return {};
  const { sessionId, text } = event as { readonly sessionId: string; readonly text: string };
  const isRepeated = prompts.get(sessionId) === text;
  prompts.set(sessionId, text);
  return isRepeated ? { origin: undefined } : {};
}

type Call = Extract<AgentEvent, { type: 'tool_call_request' }>;

async function answerToCall(
  { guard, turns, approvals }: Hooks,
  agent: HookAgent,
  sessionId: string,
  call: Call,
): Promise<HookAnswer> {
  const { name, args, parentSessionId } = call;
  const proposed = { sessionId, name, args, parentSession: parentSessionId ?? undefined };
  const decision = await guard.decide(proposed);
  if (!isRefused(decision)) {
    await guard.record(sessionId, [call]);
    return decision.reason === null || !guard.shouldWarn(decision) ? CONTINUE : warning(decision.reason);
  }
  const asked = decision.ask === true ? question(agent, decision.reason ?? '') : undefined;
  if (asked !== undefined) {
    const isApproved = approvals.take(sessionId);
    if (isApproved || approvals.ask(sessionId, call.callId)) {
      await guard.record(sessionId, [call]);
      return isApproved ? CONTINUE : asked;
    }
  }
  const text = await guard.recordDenied(sessionId, call, decision);
  turns.deny(sessionId, call);
  return denial(agent, text, decision.action === 'stop');
}
