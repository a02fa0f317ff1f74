import type { DetectionInput } from '@loopwatch/contract';
import type { PureVerdict } from '@loopwatch/detectors';
import type { ServerAddress } from './server/server-link.ts';
import type { GuardStats } from './stats.ts';
import type { AgentsToolResult } from './wrap/openai-agents.ts';

/**
 * - `stop`: a call that goes on with a loop is denied, and the run ends
 * - `steer`: the call is denied, and the model reads why and may take another way
 * - `watch`: nothing is denied
 */
export type GuardMode = 'stop' | 'steer' | 'watch';

/** Who came to a verdict: the analyzer in this process, or the server. */
export type VerdictOrigin = 'guard' | 'server';

export interface GuardOptions {
  /** Id of the session; a random one by default. */
  readonly session?: string;
  /** Name of the agent, as the server lists it. */
  readonly agent?: string;
  /** Detection settings as in the configuration file, `{ preset: 'balanced' }` for example. */
  readonly settings?: DetectionInput;
  /** Where events are reported to, and stops come from; nowhere by default. */
  readonly server?: ServerAddress;
  /** Default `steer`. */
  readonly mode?: GuardMode;
  /** Called with each verdict once; what it throws is counted as a fault. */
  readonly onVerdict?: (verdict: PureVerdict, origin: VerdictOrigin) => void;
}

/** Watches one session of one agent. */
export interface Guard extends AsyncDisposable {
  readonly session: string;
  /** Whether the run should end: a call was denied in mode `stop`, or a person has stopped the session. */
  readonly stopped: boolean;
  /** Why it should end, for people. */
  readonly reason: string | null;

  /** Guards a function whose first argument is what the model calls the tool with; it returns a string when denied. */
  tool<Args extends unknown[], Result>(
    name: string,
    run: (...args: Args) => Result,
  ): (...args: Args) => Result | string;
  /** Guards the tools of `generateText`, `streamText` and `ToolLoopAgent` of the Vercel AI SDK. */
  aiTools<Tools extends Readonly<Record<string, object>>>(tools: Tools): Tools;
  /** Guards tools of LangChain and LangGraph: made by `tool()`, or of a class of their own. */
  langchainTools<Tool extends object>(tools: readonly Tool[]): Tool[];
  /** Guards function tools of the OpenAI Agents SDK; others are returned as they are. */
  agentsTools<Tool extends object>(tools: readonly Tool[]): Tool[];

  /** `stopWhen` of the Vercel AI SDK. */
  readonly stopWhen: () => boolean;
  /** `onStepFinish` of the Vercel AI SDK: what the model said, and the tokens it took. */
  readonly onStepFinish: (step: FinishedStep) => void;
  /** `toolUseBehavior` of the OpenAI Agents SDK. */
  readonly toolUseBehavior: (context: unknown, results: readonly unknown[]) => AgentsToolResult;

  /** A request of the user: what was found in the one before no longer stops the run. */
  prompt(text?: string): void;
  /** Something that the agent says. */
  text(text: string): void;
  /** The guard of a sub-agent: a session of its own, `SESSION/ID`. */
  child(id: string): Guard;
  stats(): GuardStats;
  /** Sends what is left to the server, for 5 s at most, and ends the connection. */
  close(): Promise<void>;
}

export interface FinishedStep {
  readonly text?: string | undefined;
  readonly usage?:
    | { readonly inputTokens?: number | undefined; readonly outputTokens?: number | undefined }
    | undefined;
}
