/// <reference lib="esnext.disposable" preserve="true" />
import type { DetectionInput } from '@loopwatch/contract';
import type { PureVerdict } from '@loopwatch/detectors';
import type { LangChainMiddleware } from './langchain-middleware.ts';
import type { AgentsToolResult } from './sdk-tools.ts';

/**
 * - `stop`: denies a call that continues a loop, and ends the run
 * - `steer`: denies the call and tells the model why, so that it can try something else; ends the run if it does not
 * - `watch`: denies nothing
 */
export type GuardMode = 'stop' | 'steer' | 'watch';

/** Source of a verdict: the analyzer in this process, or the server. */
export type VerdictOrigin = 'guard' | 'server';

export interface GuardOptions {
  /** Session id. Default: a random UUID. */
  readonly session?: string;
  /** Name of the agent, shown by the server. */
  readonly agent?: string;
  /** Detection settings as in the configuration file, for example `{ preset: 'balanced' }`. */
  readonly settings?: DetectionInput;
  /** Server to report events to; it can also stop the session. Default: none. */
  readonly server?: ServerAddress;
  /** Default `steer`. */
  readonly mode?: GuardMode;
  /** Called once per verdict. Errors it throws are counted in `GuardStats.faults`. */
  readonly onVerdict?: (verdict: PureVerdict, origin: VerdictOrigin) => void;
}

/** Guards one session of one agent. */
export interface Guard extends AsyncDisposable {
  readonly session: string;
  /**
   * Whether the run should end: a call was denied in mode `stop`, calls of one loop were denied `stop_after_denials` times,
   * a limit is reached, or a user has stopped the session.
   */
  readonly stopped: boolean;
  /** Why the run should end, for people; null if it should not. */
  readonly reason: string | null;

  /**
   * Guards a function or method whose first argument contains the arguments of the call. A denied call returns a string.
   */
  tool<Args extends unknown[], Result, This = unknown>(
    name: string,
    run: (this: This, ...args: Args) => Result,
  ): (this: This, ...args: Args) => Result | string;
  /** Guards tools for `generateText`, `streamText` and `ToolLoopAgent` of the Vercel AI SDK. */
  aiTools<Tools extends Readonly<Record<string, object>>>(tools: Tools): Tools;
  /** Guards tools of LangChain and LangGraph, created by `tool()` or by a class. */
  langchainTools<Tool extends object>(tools: readonly Tool[]): Tool[];
  /** For `middleware` of LangChain's `createAgent`: guards the agent's tools, and ends its run. */
  langchainMiddleware(): LangChainMiddleware;
  /** Guards function tools of the OpenAI Agents SDK; others are returned unchanged. */
  agentsTools<Tool extends object>(tools: readonly Tool[]): Tool[];

  /** For `stopWhen` of the Vercel AI SDK. */
  readonly stopWhen: () => boolean;
  /** For `onStepFinish` of the Vercel AI SDK: records the model's text and usage. */
  readonly onStepFinish: (step: ModelStep) => void;
  /** For `toolUseBehavior` of the OpenAI Agents SDK. */
  readonly toolUseBehavior: (context: unknown, results: readonly unknown[]) => AgentsToolResult;

  /** Starts a user request. Denials of the previous one no longer stop the run. */
  prompt(text?: string): void;
  /** Records text of the model. */
  text(text: string): void;
  /** Creates the guard of a sub-agent, with the session id `<session>/<id>`. */
  child(id: string): Guard;
  stats(): GuardStats;
  /** Sends the remaining events to the server, for at most 5 s and 1 s each, and disconnects. */
  close(): Promise<void>;
}

export interface ServerAddress {
  /** For example `http://localhost:4600`. */
  readonly url: string;
  /** API token, if the server requires one. */
  readonly token?: string;
}

/** Counters of a guard and its sub-agents. */
export interface GuardStats {
  /** Calls of guarded tools. */
  calls: number;
  /** Calls that were denied. */
  denied: number;
  /** Internal errors of the guard; each time, the tool ran as if unguarded. */
  faults: number;
  /** Events accepted by the server. */
  reported: number;
  /** Events that the server rejected, or that could not be delivered. */
  dropped: number;
}

/** The fields of an AI SDK step that the guard records. */
export interface ModelStep {
  readonly text?: string | undefined;
  readonly usage?:
    | { readonly inputTokens?: number | undefined; readonly outputTokens?: number | undefined }
    | undefined;
}
