import type { Decision, PureVerdict } from '@loopwatch/detectors';
import type { FinishedStep, Guard, GuardOptions } from './guard.ts';
import { GuardedSession } from './guarded-session.ts';
import { plainValue } from './plain-value.ts';
import type { ServerLink } from './server/server-link.ts';
import type { GuardStats } from './stats.ts';
import { guardAiTools } from './wrap/ai-sdk.ts';
import { guardLangChainTools } from './wrap/langchain.ts';
import { type AgentsToolResult, guardAgentsTools } from './wrap/openai-agents.ts';
import { type CallGate, type CallRecord, runGuarded } from './wrap/run-guarded.ts';

export interface SessionGuardOptions {
  readonly options: GuardOptions;
  readonly session: string;
  readonly parent: string | undefined;
  readonly link: ServerLink | undefined;
  /** Shared with sub-agents. */
  readonly stats: GuardStats;
}

const unrecorded: CallRecord = { returned: () => undefined, threw: () => undefined };

export class SessionGuard implements Guard {
  readonly session: string;
  readonly #given: SessionGuardOptions;
  readonly #session: GuardedSession;
  readonly #gate: CallGate = { enter: (name, args) => this.#enter(name, args) };
  readonly #children: Guard[] = [];
  readonly #unfollow: () => void;
  /** The denial that has ended the run. */
  #ended: Decision | null = null;

  constructor(given: SessionGuardOptions) {
    const { options, session, parent, link } = given;
    this.#given = given;
    this.session = session;
    this.#session = new GuardedSession({
      id: session,
      agent: options.agent,
      parentId: parent,
      settings: options.settings ?? {},
      onEvent: (id, event) => link?.report(id, event),
      onVerdict: (verdict, origin) => this.#attempt(() => options.onVerdict?.(verdict, origin)),
    });
    this.#unfollow =
      link?.follow(session, {
        onVerdict: (verdict: PureVerdict) => this.#attempt(() => this.#session.takeVerdict(verdict)),
        onStop: (stopped) => {
          this.#session.stoppedByServer = stopped;
        },
        onTriage: (dismissed) => this.#attempt(() => this.#session.dismiss(dismissed)),
      }) ?? (() => undefined);
  }

  get #isWatching(): boolean {
    return this.#given.options.mode === 'watch';
  }

  get stopped(): boolean {
    return this.reason !== null;
  }

  get reason(): string | null {
    if (this.#isWatching) return null;
    if (this.#session.stoppedByServer) return 'The session was stopped in Loopwatch';
    return this.#ended === null || this.#session.isDismissed(this.#ended) ? null : this.#ended.reason;
  }

  tool<Args extends unknown[], Result>(
    name: string,
    run: (...args: Args) => Result,
  ): (...args: Args) => Result | string {
    return (...args) => runGuarded(this.#gate, { name, args: args[0] ?? {} }, () => run(...args));
  }

  aiTools<Tools extends Readonly<Record<string, object>>>(tools: Tools): Tools {
    return guardAiTools(this.#gate, tools);
  }

  langchainTools<Tool extends object>(tools: readonly Tool[]): Tool[] {
    return guardLangChainTools(this.#gate, tools);
  }

  agentsTools<Tool extends object>(tools: readonly Tool[]): Tool[] {
    return guardAgentsTools(this.#gate, tools);
  }

  readonly stopWhen = (): boolean => this.stopped;

  readonly onStepFinish = ({ text, usage }: FinishedStep): void => {
    if (text !== undefined && text !== '') this.text(text);
    const { inputTokens, outputTokens } = usage ?? {};
    const isKnown = inputTokens !== undefined && outputTokens !== undefined;
    this.#record({ type: 'turn_finished', ...(isKnown && { usage: { inputTokens, outputTokens } }) });
  };

  readonly toolUseBehavior = (): AgentsToolResult => {
    const { reason } = this;
    return reason === null
      ? { isFinalOutput: false, isInterrupted: undefined }
      : { isFinalOutput: true, isInterrupted: undefined, finalOutput: reason };
  };

  prompt(text?: string): void {
    this.#ended = null;
    this.#record({ type: 'prompt_started', ...(text !== undefined && { text }) });
  }

  text(text: string): void {
    this.#record({ type: 'content', text });
  }

  child(id: string): Guard {
    const child = new SessionGuard({
      ...this.#given,
      session: `${this.session}/${id}`,
      parent: this.session,
    });
    this.#children.push(child);
    return child;
  }

  stats(): GuardStats {
    return { ...this.#given.stats };
  }

  async close(): Promise<void> {
    for (const child of this.#children.splice(0)) await child.close();
    this.#unfollow();
    if (this.#given.parent === undefined) await this.#given.link?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #enter(name: string, args: unknown): { readonly denial: string } | CallRecord {
    const { stats, options } = this.#given;
    stats.calls += 1;
    return (
      this.#attempt(() => {
        const call = { name, args: plainValue(args) };
        const decision = this.#isWatching ? undefined : this.#session.decide(call);
        if (decision?.action === 'deny') {
          const denial = this.#session.recordDenied(call, decision);
          stats.denied += 1;
          if (options.mode === 'stop') this.#ended = decision;
          return { denial };
        }
        const callId = this.#session.recordCall(call);
        const record = (result: unknown, isError: boolean): void => {
          this.#attempt(() => this.#session.recordResult(callId, plainValue(result), isError));
        };
        return {
          returned: (result: unknown) => record(result, false),
          threw: (error: unknown) => record(error instanceof Error ? error.message : error, true),
        };
      }) ?? unrecorded
    );
  }

  #record(event: Parameters<GuardedSession['record']>[0]): void {
    this.#attempt(() => this.#session.record(event));
  }

  /** A fault of the guard never reaches the agent. */
  #attempt<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch {
      this.#given.stats.faults += 1;
      return undefined;
    }
  }
}
