import type { HookAgent } from '@loopwatch/contract/api';
import { scriptCommandLine } from './hook-script.ts';
import { type HookTarget, hookUrl, PAUSE_PARTS, SLOW_PARTS, stateFolder, WAIT_PARTS } from './hook-target.ts';

/**
 * The shell command of a hook: posts its input, and prints the answer if it is one. Each hook is a process of its own, so
 * what the slow ones in a row have taken is kept in a file, a byte for each tenth of the longest time; a quick answer
 * removes it. A failure that takes no time delays no agent, and pauses nothing. The token goes through a pipe: other users
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
  const isPaused = `[ -s "$f" ] && [ -n "$(find "$f" -mmin -${String(pauseMinutes)} -size +${String(PAUSE_PARTS - 1)}c)" ]`;
  const partMicros = (waitMs * 1_000) / WAIT_PARTS;
  return [
    `f="$HOME/${stateFolder}/hook-${agent}"`,
    `if ${isPaused}; then cat >/dev/null; exit 0; fi`,
    // Part of an answer is none: what curl has when the time is up, or a server that broke off.
    `if o=$(${post}); then case "$o" in '{'*'} '*) printf %s "\${o% *}";; esac; fi`,
    't=${o##* }',
    // The 1 keeps the leading zeros of the microseconds from making an octal number.
    `case "$t" in [0-9].[0-9][0-9][0-9][0-9][0-9][0-9]) ` +
      `n=$(((\${t%.*}000000+1\${t#*.}-1000000)/${String(partMicros)}));; *) n=0;; esac`,
    `if [ $n -ge ${String(SLOW_PARTS)} ]; then mkdir -p "\${f%/*}"; printf "%\${n}s" >>"$f"; elif [ -e "$f" ]; then rm -f "$f"; fi 2>/dev/null`,
    'exit 0',
  ].join('; ');
}

/** The server that a Loopwatch entry calls. */
export function serverOf(entry: unknown): string | undefined {
  return /(https?:\/\/[^\s'"\\]+)\/api\/v1\/hooks\//.exec(JSON.stringify(entry))?.[1];
}

/** The variable of the token that a Loopwatch entry sends. */
export function tokenEnvOf(entry: unknown): string | undefined {
  return /(?:Bearer (?:%s' \\")?\$|--token-env )(\w+)/.exec(JSON.stringify(entry))?.[1];
}

/** How long the agent waits for this entry's server; undefined if an earlier version of Loopwatch wrote the entry. */
export function waitOf(entry: unknown): number | undefined {
  const seconds = /loopwatch[/\\]+hook[-.].* -m ([\d.]+) /.exec(JSON.stringify(entry))?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1_000;
}
