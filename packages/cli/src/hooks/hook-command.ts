import type { HookAgent } from '@loopwatch/contract/api';

/** What a hook needs to reach the server, and how long it may delay the agent. */
export interface HookTarget {
  /** Address of the server, without a path. */
  readonly url: string;
  /** Name of the environment variable that holds the server's token, if it requires a login. */
  readonly tokenEnv: string | undefined;
  /** Longest time a hook waits for its answer; slow hooks in a row that take as long together make hooks pause. */
  readonly waitMs: number;
  /** How long hooks pause; after that, one that times out makes them pause again. */
  readonly pauseMinutes: number;
}

export const hookDefaults = { waitMs: 1_000, pauseMinutes: 1 } as const;

/** A hook is slow from this part of the longest time on. */
export const SLOW_PART = 1 / 4;

/** Where hooks keep their state, below the home folder. */
export const stateFolder = '.local/state/loopwatch';

export function hookUrl(agent: HookAgent, url: string): string {
  return `${url.replace(/\/$/, '')}/api/v1/hooks/${agent}`;
}

/**
 * The shell command of a hook: posts its input, and prints the answer if it is one. Each hook is a process of its own, so
 * what the slow ones in a row have taken is kept in a file, a byte for each quarter of the longest time; a quick answer
 * removes it. A failure that takes no time delays no agent, and pauses nothing. The token goes through a pipe: other users
 * can read the arguments of a process. The command always succeeds, so that the agent can continue.
 */
export function hookCommandLine(agent: HookAgent, target: HookTarget): string {
  const { waitMs, pauseMinutes, tokenEnv } = target;
  const curl = (login: string) =>
    `curl -sf -m ${String(waitMs / 1_000)} -w ' %{time_total}' -H 'content-type: application/json'${login} ` +
    `--data-binary @- '${hookUrl(agent, target.url)}'`;
  // Descriptor 4 is the hook's input, 3 the token.
  const post =
    tokenEnv === undefined
      ? curl('')
      : `{ printf 'authorization: Bearer %s' "$${tokenEnv}" | ${curl(' -H @/dev/fd/3')} 3<&0 0<&4; } 4<&0`;
  const isPaused = `[ -s "$f" ] && [ -n "$(find "$f" -mmin -${String(pauseMinutes)} -size +${String(1 / SLOW_PART - 1)}c)" ]`;
  const slowMicros = waitMs * 1_000 * SLOW_PART;
  return [
    `f="$HOME/${stateFolder}/hook-${agent}"`,
    `if ${isPaused}; then cat >/dev/null; exit 0; fi`,
    `o=$(${post})`,
    't=${o##* }',
    `case "$o" in '{'*) printf %s "\${o% *}";; esac`,
    // The 1 keeps the leading zeros of the microseconds from making an octal number.
    `case "$t" in [0-9].[0-9][0-9][0-9][0-9][0-9][0-9]) ` +
      `n=$(((\${t%.*}000000+1\${t#*.}-1000000)/${String(slowMicros)}));; *) n=0;; esac`,
    `if [ $n -gt 0 ]; then mkdir -p "\${f%/*}"; printf "%\${n}s" >>"$f"; elif [ -e "$f" ]; then rm -f "$f"; fi 2>/dev/null`,
    'exit 0',
  ].join('; ');
}

/** The server that a Loopwatch entry calls. */
export function serverOf(entry: unknown): string | undefined {
  return /(https?:\/\/[^\s'"\\]+)\/api\/v1\/hooks\//.exec(JSON.stringify(entry))?.[1];
}

/** The variable of the token that a Loopwatch entry sends. */
export function tokenEnvOf(entry: unknown): string | undefined {
  return /Bearer (?:%s' \\")?\$(\w+)/.exec(JSON.stringify(entry))?.[1];
}

/** How long the agent waits for this entry's server; undefined if an earlier version of Loopwatch wrote the entry. */
export function waitOf(entry: unknown): number | undefined {
  const seconds = /loopwatch\/hook-.* -m ([\d.]+) /.exec(JSON.stringify(entry))?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1_000;
}
