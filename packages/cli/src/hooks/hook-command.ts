import type { HookAgent } from '@loopwatch/contract/api';
import { scriptCommandLine } from './hook-script.ts';
import {
  FIRST_PAUSE_SECONDS,
  type HookInstallation,
  type HookTarget,
  hookUrl,
  PAUSE_PARTS,
  SLOW_PARTS,
  stateFolder,
  WAIT_PARTS,
} from './hook-target.ts';

/**
 * The shell command of a hook: posts its input, and prints the answer if it is one. Each hook is a process of its own, so
 * a file keeps what the slow ones in a row have taken, in tenths of the longest time, and the length and end of their pause,
 * in seconds; a quick answer removes it. A failure that takes no time delays no agent, and pauses nothing. The token goes through a pipe: other users
 * can read the arguments of a process. The command always succeeds, so that the agent can continue.
 */
export function hookCommandLine(agent: HookAgent, target: HookTarget): string {
  const { waitMs, pauseMinutes, tokenEnv, script } = target;
  if (script !== undefined) return scriptCommandLine(agent, { ...target, script });
  const curl = (login: string) =>
    `curl -sf -m ${String(waitMs / 1_000)} -w ' %{time_total}' -H 'content-type: application/json'${login} ` +
    `--data-binary @- '${hookUrl(agent, target.url)}'`;
  // Descriptor 4 is the hook's input, 3 the token.
  const post =
    tokenEnv === undefined
      ? curl('')
      : `{ printf 'authorization: Bearer %s' "$${tokenEnv}" | ${curl(' -H @/dev/fd/3')} 3<&0 0<&4; } 4<&0`;
  const longest = String(pauseMinutes * 60);
  const first = String(FIRST_PAUSE_SECONDS);
  // An end that is too far away is from before the clock was set back.
  const isPaused = `[ -n "$u" ] && d=$((u-$(date +%s))) && [ $d -gt 0 ] && [ $d -le ${longest} ]`;
  const pause =
    `s=$((\${s:-0}*2)); [ $s -ge ${first} ] || s=${first}; [ $s -le ${longest} ] || s=${longest}; ` +
    'u=$(($(date +%s)+s))';
  const partMicros = (waitMs * 1_000) / WAIT_PARTS;
  return [
    `f="$HOME/${stateFolder}/hook-${agent}"`,
    'p= s= u=',
    '{ read -r p s u <"$f"; } 2>/dev/null',
    'case "$p$s$u" in *[!0-9]*) p= s= u=;; esac',
    `if ${isPaused}; then cat >/dev/null; exit 0; fi`,
    // Part of an answer is none: what curl has when the time is up, or a server that broke off.
    `if o=$(${post}); then case "$o" in '{'*'} '*) printf %s "\${o% *}";; esac; fi`,
    't=${o##* }',
    // The 1 keeps the leading zeros of the microseconds from making an octal number.
    `case "$t" in [0-9].[0-9][0-9][0-9][0-9][0-9][0-9]) ` +
      `n=$(((\${t%.*}000000+1\${t#*.}-1000000)/${String(partMicros)}));; *) n=0;; esac`,
    `if [ $n -ge ${String(SLOW_PARTS)} ]; then p=$((\${p:-0}+n)); ` +
      `if [ $p -ge ${String(PAUSE_PARTS)} ]; then ${pause}; fi; ` +
      `mkdir -p "\${f%/*}"; echo "$p \${s:-0} \${u:-0}" >"$f"; elif [ -e "$f" ]; then rm -f "$f"; fi 2>/dev/null`,
    'exit 0',
  ].join('; ');
}

/** The server that a Loopwatch entry calls. */
export function serverOf(entry: unknown): string | undefined {
  return /(https?:\/\/[^\s'"\\]+)\/api\/v1\/hooks\//.exec(JSON.stringify(entry))?.[1];
}

/** The variable of the token that a Loopwatch entry sends. */
export function tokenEnvOf(entry: unknown): string | undefined {
  return /(?:Bearer (?:%s'(?:\\\\'')? \\")?\$|--token-env )(\w+)/.exec(JSON.stringify(entry))?.[1];
}

/** How long the agent waits for this entry's server; undefined if an earlier version of Loopwatch wrote the entry. */
export function waitOf(entry: unknown): number | undefined {
  const seconds = /loopwatch[/\\]+hook[-.].* -m ([\d.]+) /.exec(JSON.stringify(entry))?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1_000;
}

/** An entry of an agent's settings, and the event that calls it. */
export interface HookEntry {
  readonly event: string;
  readonly hook: unknown;
}

/** @param found the entries of Loopwatch */
export function installationOf(found: readonly HookEntry[]): HookInstallation {
  const first = found[0]?.hook;
  const isCurrent = found.every(({ hook }) => waitOf(hook) !== undefined);
  return {
    events: [...new Set(found.map(({ event }) => event))],
    server: first === undefined ? undefined : serverOf(first),
    tokenEnv: first === undefined ? undefined : tokenEnvOf(first),
    waitMs: isCurrent ? waitOf(first) : undefined,
  };
}
