import type { HookAgent } from '@loopwatch/contract/api';
import type { Database } from '@loopwatch/storage';
import { afterEach, beforeEach, expect } from 'vitest';
import { sharedPglite } from '../../../storage/test/shared-pglite.ts';
import type { MemoryLog } from '../memory-log.ts';
import { startServer, topics } from '../running-server.ts';
import { START } from '../verdicts.ts';

/** A server that agents ask by hooks. Its clock moves by a second whenever it is read. */
export class HookedServer {
  clock = START;
  #started: Awaited<ReturnType<typeof startServer>> | undefined;

  async start(openDatabase: () => Promise<Database>): Promise<void> {
    this.clock = START;
    this.#started = await startServer({ openDatabase, now: () => (this.clock += 1_000) });
  }

  async stop(): Promise<void> {
    await this.#running.server.stop();
  }

  get #running(): Awaited<ReturnType<typeof startServer>> {
    if (this.#started === undefined) throw new Error('The server only runs while tests run');
    return this.#started;
  }

  get log(): MemoryLog {
    return this.#running.log;
  }

  /** Resolves when everything that is in the log is in the database. */
  readonly stored = (): Promise<void> => this.#running.stored();

  readonly send = async (path: string, body: unknown, method = 'POST'): Promise<Answer> => {
    const response = await fetch(`${this.#running.url}/api/v1${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };

  /** The events in the log. */
  readonly recorded = () =>
    this.log.values(topics.events) as {
      type: string;
      sessionId: string;
      callId?: string;
      result?: unknown;
    }[];

  agent(agent: HookAgent, session: string, more: object = {}): HookedAgent {
    return new HookedAgent(this, agent, session, more);
  }
}

/** Starts a server for each test of a file. */
export function hookedServer(): HookedServer {
  const openDatabase = sharedPglite();
  const hooks = new HookedServer();
  beforeEach(() => hooks.start(openDatabase));
  afterEach(() => hooks.stop());
  return hooks;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** A coding agent that asks its hook before each call and reports each result, in its own format. */
export class HookedAgent {
  readonly #server: HookedServer;
  readonly #agent: HookAgent;
  readonly #session: string;
  readonly #more: object;
  #calls = 0;

  constructor(server: HookedServer, agent: HookAgent, session: string, more: object) {
    this.#server = server;
    this.#agent = agent;
    this.#session = session;
    this.#more = more;
  }

  async prompt(prompt: string): Promise<unknown> {
    if (this.#agent === 'kimi') return this.#hook('TurnStarted', { turn_id: 0, origin_kind: 'user', prompt });
    if (this.#agent === 'hermes')
      return this.#hook('pre_llm_call', { tool_name: null, extra: { user_message: prompt, model: 'm' } });
    const events: Partial<Record<HookAgent, string>> = {
      gemini: 'BeforeAgent',
      cursor: 'beforeSubmitPrompt',
    };
    return this.#hook(events[this.#agent] ?? 'UserPromptSubmit', { prompt });
  }

  /** Kimi Code tells only that a sub-agent starts or stops. */
  async subAgent(event: 'SubagentStart' | 'SubagentStop'): Promise<unknown> {
    return this.#hook(event, { agent_name: 'explore' });
  }

  /** @returns what the hook said before the call, and behind it where the call was made */
  async call(
    name: string,
    args: object,
    result: string,
    { failed = false, approves = true }: { readonly failed?: boolean; readonly approves?: boolean } = {},
  ): Promise<{ before: unknown; after?: unknown }> {
    this.#calls += 1;
    const hasIds = this.#agent !== 'gemini' && this.#agent !== 'copilot';
    const callId = `${this.#session}-${String(this.#calls)}`;
    const id = hasIds ? idOf(this.#agent, callId) : {};
    const call = { tool_name: name, tool_input: args, ...id };
    const events: Partial<Record<HookAgent, string>> = {
      gemini: 'BeforeTool',
      cursor: 'preToolUse',
      hermes: 'pre_tool_call',
    };
    const before = await this.#hook(events[this.#agent] ?? 'PreToolUse', call);
    const isAsked = JSON.stringify(before).includes('"ask"');
    const isDenied = /"(?:deny|block)"/.test(JSON.stringify(before));
    if (isDenied && this.#tellsOfDenied) await this.#hook(...this.#denied(call, JSON.stringify(before)));
    if (isDenied || (isAsked && !approves)) return { before };
    const after = await this.#hook(...this.#result(call, result, failed));
    return { before, after };
  }

  get #tellsOfDenied(): boolean {
    return this.#agent === 'kimi' || this.#agent === 'hermes';
  }

  /** How an agent tells of a call that was denied. */
  #denied(call: object, said: string): [event: string, input: object] {
    const message = /Loopwatch denied this call[^"]*/.exec(said)?.[0];
    if (this.#agent === 'kimi')
      return ['PostToolUseFailure', { ...call, error: { code: 'internal', message, retryable: false } }];
    const extra = { ...extraOf(call), result: JSON.stringify({ error: message }), status: 'blocked' };
    return ['post_tool_call', { ...call, extra }];
  }

  #result(call: object, result: string, failed: boolean): [event: string, input: object] {
    if (this.#agent === 'gemini') {
      const error = failed ? { error: { message: result } } : {};
      return ['AfterTool', { ...call, tool_response: { llmContent: result, ...error } }];
    }
    if (this.#agent === 'cursor')
      return failed
        ? ['postToolUseFailure', { ...call, error_message: result, failure_type: 'error', duration: 12 }]
        : ['postToolUse', { ...call, tool_output: result, duration: 12 }];
    if (this.#agent === 'kimi')
      return failed
        ? ['PostToolUseFailure', { ...call, error: { code: 'internal', message: result, retryable: false } }]
        : ['PostToolUse', { ...call, tool_output: result }];
    if (this.#agent === 'grok') {
      const output = failed ? { FileNotFound: `Error: ${result}` } : { FileContent: { content: result } };
      return ['PostToolUse', { ...call, tool_response: { type: 'ReadFile', ...output } }];
    }
    if (this.#agent === 'hermes') {
      const extra = { ...extraOf(call), status: failed ? 'error' : 'ok' };
      return [
        'post_tool_call',
        { ...call, extra: { ...extra, result: JSON.stringify({ content: result }) } },
      ];
    }
    if (failed && this.#agent !== 'codex') return ['PostToolUseFailure', { ...call, error: result }];
    if (this.#agent === 'copilot')
      return [
        'PostToolUse',
        { ...call, tool_result: { result_type: 'success', text_result_for_llm: result } },
      ];
    return ['PostToolUse', { ...call, tool_response: result }];
  }

  async #hook(event: string, input: object): Promise<unknown> {
    const { status, body } = await this.#server.send(`/hooks/${this.#agent}`, {
      ...(this.#agent === 'cursor'
        ? { conversation_id: this.#session, generation_id: 'g-1', cursor_version: '2.4.0' }
        : { session_id: this.#session }),
      cwd: '/w',
      transcript_path: '/h/s.jsonl',
      hook_event_name: event,
      ...(this.#agent === 'codex' && { turn_id: 't-1', model: 'gpt-5.5', permission_mode: 'default' }),
      ...(['gemini', 'copilot'].includes(this.#agent) && {
        timestamp: new Date(this.#server.clock).toISOString(),
      }),
      ...(this.#agent === 'kimi' && { client_type: 'kimi_code_cli' }),
      ...(this.#agent === 'grok' && { hookEventName: 'x', sessionId: this.#session, workspaceRoot: '/w' }),
      ...this.#more,
      ...input,
    });
    expect(status).toBe(200);
    return body;
  }
}

function idOf(agent: HookAgent, id: string): object {
  if (agent === 'hermes') return { extra: { tool_call_id: id } };
  return agent === 'kimi' ? { tool_call_id: id } : { tool_use_id: id };
}

function extraOf(call: object): object {
  return (call as { readonly extra?: object }).extra ?? {};
}

/** What an agent is told when its call is denied. */
export const guidance =
  /^Loopwatch denied this call: You have called \w+ 3 times in a row with the same arguments\./;
/** What an agent is told with the result that completes a loop. */
export const advised = /^You have called \w+ 3 times in a row with the same arguments\./;

/** What a hook said before a call. */
export function decisionOf({ before }: { readonly before: unknown }): string {
  return /"(ask|deny|block)"/.exec(JSON.stringify(before))?.[1] ?? 'run';
}
