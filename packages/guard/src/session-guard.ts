import type { Decision, PureVerdict } from '@loopwatch/detectors';
import { checkOptions, isRefused } from '@loopwatch/detectors/internal';
import type { Guard, GuardOptions, GuardStats, ModelStep } from './guard.ts';
import { type LangChainMiddleware, langchainMiddleware } from './langchain-middleware.ts';
import { plainValue } from './plain-value.ts';
import { type CallGate, type CallRecorder, denialOf, runGuarded } from './run-guarded.ts';
import { type AgentsToolResult, guardAgentsTools, guardAiTools, guardLangChainTools } from './sdk-tools.ts';
import { ServerLink } from './server/server-link.ts';
import { SessionAnalysis } from './session-analysis.ts';

/** The options, and what they allow if it is not any value. */
const known: Readonly<Record<keyof GuardOptions, string>> = {
  session: 'text',
  agent: '',
  settings: '',
  server: '',
  mode: 'stop, steer, watch',
  onVerdict: '',
};

/**
 * Creates a guard. It denies tool calls that continue a loop, and returns the reason to the model instead of a result.
 *
 * @throws TypeError that names the option if one is unknown or invalid; other methods of the guard never throw
 */
export function createGuard(options: GuardOptions = {}): Guard {
  checkOptions(options, known);
  const { server, session = crypto.randomUUID() } = options;
  const stats: GuardStats = { calls: 0, denied: 0, faults: 0, reported: 0, dropped: 0 };
  const link = server === undefined ? undefined : new ServerLink(server, stats);
  return new SessionGuard({ options, session, parent: undefined, link, stats });
}

interface SessionGuardContext {
  readonly options: GuardOptions;
  readonly session: string;
  readonly parent: string | undefined;
  readonly link: ServerLink | undefined;
  /** Shared with sub-agents. */
  readonly stats: GuardStats;
}

/** Identical calls that may run side by side, as with hooks: if more start and none returns, they are retries. */
const MAX_ALIKE = 5;

/** Identical calls that run side by side: one step. */
interface Alike {
  running: number;
  /** Results of any calls when the first one started. */
  readonly results: number;
}

const noRecorder: CallRecorder = { recordResult: () => undefined, recordError: () => undefined };

class SessionGuard implements Guard {
  readonly session: string;
  readonly #context: SessionGuardContext;
  readonly #analysis: SessionAnalysis;
  /** Like words in settings, in any case. */
  readonly #mode: string | undefined;
  readonly #gate: CallGate = { enter: (name, args) => this.#enter(name, args) };
  /** By call. */
  readonly #alike = new Map<string, Alike>();
  #results = 0;
  /** Denials that the model cannot have read yet, by call. */
  readonly #unread = new Map<string, Decision>();
  readonly #children: Guard[] = [];
  readonly #unsubscribe: () => void;
  /** The denial that ended the run. */
  #finalDenial: Decision | null = null;

  constructor(context: SessionGuardContext) {
    const { options, session, parent, link } = context;
    this.#mode = options.mode?.toLowerCase();
    this.#context = context;
    this.session = session;
    this.#analysis = new SessionAnalysis({
      id: session,
      agent: options.agent,
      parentId: parent,
      settings: options.settings ?? {},
      onEvent: (id, event) => link?.report(id, event),
      onVerdict: (verdict, origin) => this.#attempt(() => options.onVerdict?.(verdict, origin)),
    });
    this.#unsubscribe =
      link?.follow(session, {
        onVerdict: (verdict: PureVerdict) => this.#attempt(() => this.#analysis.addServerVerdict(verdict)),
        onStop: (stopped) => {
          this.#analysis.stoppedByServer = stopped;
        },
        onTriage: (dismissed) => this.#attempt(() => this.#analysis.dismiss(dismissed)),
      }) ?? (() => undefined);
  }

  get #isWatching(): boolean {
    return this.#mode === 'watch';
  }

  get stopped(): boolean {
    return this.reason !== null;
  }

  get reason(): string | null {
    if (this.#isWatching) return null;
    if (this.#analysis.stoppedByServer) return 'The session was stopped in Loopwatch';
    return this.#finalDenial === null || this.#analysis.isDismissed(this.#finalDenial)
      ? null
      : this.#finalDenial.reason;
  }

  tool<Args extends unknown[], Result, This = unknown>(
    name: string,
    run: (this: This, ...args: Args) => Result,
  ): (this: This, ...args: Args) => Result | string {
    const gate = this.#gate;
    const denial = denialOf<Result>(run);
    return function (this: This, ...args) {
      return runGuarded(gate, { name, args: args[0] ?? {} }, () => run.apply(this, args), denial);
    };
  }

  aiTools<Tools extends Readonly<Record<string, object>>>(tools: Tools): Tools {
    return guardAiTools(this.#gate, tools);
  }

  langchainTools<Tool extends object>(tools: readonly Tool[]): Tool[] {
    return guardLangChainTools(this.#gate, tools);
  }

  langchainMiddleware(): LangChainMiddleware {
    return langchainMiddleware(this.#gate, this);
  }

  agentsTools<Tool extends object>(tools: readonly Tool[]): Tool[] {
    return guardAgentsTools(this.#gate, tools);
  }

  readonly stopWhen = (): boolean => this.stopped;

  readonly onStepFinish = ({ text, usage }: ModelStep): void => {
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
    this.#finalDenial = null;
    this.#record({ type: 'prompt_started', origin: 'user', ...(text !== undefined && { text }) });
  }

  text(text: string): void {
    this.#record({ type: 'content', text });
  }

  child(id: string): Guard {
    const child = new SessionGuard({
      ...this.#context,
      session: `${this.session}/${id}`,
      parent: this.session,
    });
    this.#children.push(child);
    return child;
  }

  stats(): GuardStats {
    return { ...this.#context.stats };
  }

  async close(): Promise<void> {
    for (const child of this.#children.splice(0)) await child.close();
    this.#unsubscribe();
    if (this.#context.parent === undefined) await this.#context.link?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #enter(name: string, args: unknown): { readonly denial: string } | CallRecorder {
    const { stats } = this.#context;
    stats.calls += 1;
    return (
      this.#attempt(() => {
        const call = { name, args: argsOf(plainValue(args)) };
        const key = JSON.stringify(call);
        const alike = this.#alike.get(key) ?? { running: 0, results: this.#results };
        const { running } = alike;
        const isBeside = running > 0 && running < MAX_ALIKE;
        const unread = this.#unread.get(key);
        const decision = this.#isWatching ? undefined : (unread ?? this.#analysis.decide(call));
        if (decision !== undefined && (isBeside ? decision.action === 'stop' : isRefused(decision))) {
          const denial = this.#analysis.recordDenied(call, decision, unread === undefined);
          if (this.#gate.isAsync === true) this.#noteUnread(key, decision);
          stats.denied += 1;
          // A person's stop lasts until that person resumes the session.
          const isFinal = this.#mode === 'stop' || decision.action === 'stop';
          if (isFinal && !this.#analysis.stoppedByServer) this.#finalDenial = decision;
          return { denial };
        }
        // Before any result, and after one of the step, the analysis would take the call for another step.
        const isKnown = isBeside && (this.#results === 0 || this.#results > alike.results);
        const callId = isKnown ? undefined : this.#analysis.recordCall(call);
        alike.running += 1;
        this.#alike.set(key, alike);
        const record = (result: () => unknown, isError: boolean): void => {
          if ((alike.running -= 1) === 0) this.#alike.delete(key);
          this.#results += 1;
          this.#unread.clear();
          if (callId !== undefined)
            this.#attempt(() => this.#analysis.recordResult(callId, plainValue(result()), isError));
        };
        return {
          recordResult: (result: unknown) => record(() => result, false),
          recordError: (error: unknown) =>
            record(() => (error instanceof Error ? error.message : error), true),
        };
      }) ?? noRecorder
    );
  }

  /** Calls side by side start before anything else happens, or while others of their step still run. */
  #noteUnread(key: string, decision: Decision): void {
    this.#unread.set(key, decision);
    void Promise.resolve().then(() => {
      if (this.#alike.size === 0) this.#unread.clear();
    });
  }

  #record(event: Parameters<SessionAnalysis['record']>[0]): void {
    this.#attempt(() => this.#analysis.record(event));
  }

  /** Runs code of the guard; its errors never reach the agent. */
  #attempt<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch {
      this.#context.stats.faults += 1;
      return undefined;
    }
  }
}

/** Arguments as events have them: an object, or JSON text. */
function argsOf(plain: unknown): unknown {
  const isText = typeof plain === 'string';
  return isText || (typeof plain === 'object' && !Array.isArray(plain)) ? plain : JSON.stringify(plain);
}
