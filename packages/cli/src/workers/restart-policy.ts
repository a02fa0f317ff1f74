/**
 * When a worker process that ended is replaced. A state and what happened give the next state and what to do; whoever
 * acts on it has the clock and the processes.
 */

/** How one worker process ended. */
export interface Ending {
  /** 1 for the first worker. */
  readonly worker: number;
  /** Exit status; null when a signal ended it or it could not be started at all. */
  readonly code: number | null;
  /** Milliseconds since it was connected; 0 when it never was. */
  readonly wellMs: number;
}

interface Slot {
  /** Times in a row that this worker ended without having run well. */
  readonly failures: number;
  /** It last ended because it was told something it cannot do. */
  readonly misused: boolean;
}

export interface RestartState {
  readonly everReady: boolean;
  /** By worker; the first stands at 0. */
  readonly slots: readonly Slot[];
}

export type Decision = { readonly kind: 'restart'; readonly afterMs: number } | { readonly kind: 'give_up' };

const firstDelayMs = 500;
const longestDelayMs = 30_000;
/** Connected for so long, a worker has shown that starting it was not what failed. */
const wellAfterMs = 60_000;
/** The exit status of all commands for flags, settings and files that cannot be used. */
const misuse = 2;

export function noEndings(workers: number): RestartState {
  return {
    everReady: false,
    slots: Array.from({ length: workers }, () => ({ failures: 0, misused: false })),
  };
}

export function afterReady(state: RestartState): RestartState {
  return { ...state, everReady: true };
}

/**
 * A worker is replaced after 0.5 s, and after twice as long each time it fails again, up to 30 s; one that was connected
 * for a minute begins at 0.5 s again. What has once worked is never given up: only when no worker ever came to work and
 * each refused the configuration would every further start end alike.
 */
export function afterEnding(
  state: RestartState,
  { worker, code, wellMs }: Ending,
): readonly [RestartState, Decision] {
  const slots = state.slots.map((slot, index) =>
    index === worker - 1
      ? { failures: wellMs >= wellAfterMs ? 1 : slot.failures + 1, misused: code === misuse }
      : slot,
  );
  const next = { ...state, slots };
  if (!state.everReady && slots.every(({ misused }) => misused)) return [next, { kind: 'give_up' }];
  const { failures = 1 } = slots[worker - 1] ?? {};
  return [
    next,
    { kind: 'restart', afterMs: Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(failures - 1, 16)) },
  ];
}
