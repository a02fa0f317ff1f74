import type { HookAgent } from '@loopwatch/contract/api';

/** What a hook needs to reach the server, and how long it may delay the agent. */
export interface HookTarget {
  /** Address of the server, without a path. */
  readonly url: string;
  /** Name of the environment variable that holds the server's token, if it requires a login. */
  readonly tokenEnv: string | undefined;
  /** Longest time a hook waits for its answer; slow hooks in a row that take as long together make hooks pause. */
  readonly waitMs: number;
  /** How long hooks pause at most; after a pause, a slow one makes them pause again, for twice as long. */
  readonly pauseMinutes: number;
  /** The script to run where there is no POSIX shell. */
  readonly script?: string | undefined;
}

/** Where settings contain the hook. */
export interface HookInstallation {
  /** The agent's hook events that call it. */
  readonly events: readonly string[];
  readonly server: string | undefined;
  /** The variable of the server's token. */
  readonly tokenEnv: string | undefined;
  /** Undefined if an earlier version of Loopwatch wrote one of the entries. */
  readonly waitMs: number | undefined;
}

export const hookDefaults = { waitMs: 500, pauseMinutes: 1 } as const;

/** What slow hooks take is counted in this many parts of the longest time. */
export const WAIT_PARTS = 10;

/** Hooks pause when slow ones have taken this many parts: a time-out can be measured a little shorter than it is. */
export const PAUSE_PARTS = 9;

/** A hook is slow from this many parts of the longest time on: 150 ms, more than a server in another country takes. */
export const SLOW_PARTS = 3;

/** How long the first pause is, in seconds: a server that has just started may be slow only once. */
export const FIRST_PAUSE_SECONDS = 10;

/** Where hooks keep their state, below the home folder. */
export const stateFolder = '.local/state/loopwatch';

export function hookUrl(agent: HookAgent, url: string): string {
  return `${url.replace(/\/$/, '')}/api/v1/hooks/${agent}`;
}
