import { messageOf } from '@loopwatch/contract';
import type { HookAgent } from '@loopwatch/contract/api';
import { isLoopback } from '@loopwatch/platform';
import { hookUrl, SLOW_PARTS, WAIT_PARTS } from './hook-target.ts';

/** What `hook status` knows about an installed hook. */
export interface InstalledHook {
  readonly agent: HookAgent;
  readonly server: string;
  readonly tokenEnv: string | undefined;
  readonly waitMs: number;
}

/** An event that no agent sends and that the server does not record. */
const harmless = { hook_event_name: 'LoopwatchStatus', session_id: 'loopwatch-hook-status' };

/**
 * Posts what a hook would post.
 *
 * @param env holds the token
 * @returns why the server would not protect the agent; undefined if it would
 */
export async function checkServer(hook: InstalledHook, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const { waitMs } = hook;
  let answer = await ask(hook, env);
  // The first answer of a process, and the first request of this one, take longer.
  if (isSlow(answer, waitMs)) answer = await ask(hook, env);
  if (answer.fault !== undefined || !isSlow(answer, waitMs)) return answer.fault;
  return (
    `answers in ${answer.tookMs.toFixed(0)} ms, which is too slow: hooks pause when answers take more than ` +
    `${String(slowMs(waitMs))} ms; install them again with a longer --wait`
  );
}

/**
 * Whether a check would send the token to another machine. The settings of a project often come with a repository, so that its
 * authors chose both the server and the variable.
 */
export function sendsTokenAway({ server, tokenEnv }: InstalledHook, env: NodeJS.ProcessEnv): boolean {
  if (tokenEnv === undefined || env[tokenEnv] === undefined) return false;
  const host = URL.canParse(server) ? new URL(server).hostname : '';
  return !isLoopback(host);
}

interface Answer {
  readonly fault: string | undefined;
  readonly tookMs: number;
}

function isSlow({ fault, tookMs }: Answer, waitMs: number): boolean {
  return fault === undefined && tookMs > slowMs(waitMs);
}

function slowMs(waitMs: number): number {
  return (waitMs * SLOW_PARTS) / WAIT_PARTS;
}

async function ask(
  { agent, server, tokenEnv, waitMs }: InstalledHook,
  env: NodeJS.ProcessEnv,
): Promise<Answer> {
  const token = tokenEnv === undefined ? undefined : env[tokenEnv];
  const startedAt = performance.now();
  const answer = (fault: string | undefined): Answer => ({ fault, tookMs: performance.now() - startedAt });
  try {
    const response = await fetch(hookUrl(agent, server), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(harmless),
      redirect: 'manual',
      signal: AbortSignal.timeout(waitMs),
    });
    return answer(faultOf(response.status, await response.text(), tokenEnv, token));
  } catch (error) {
    const { cause, name } = error as { cause?: unknown; name?: unknown };
    return answer(
      name === 'TimeoutError'
        ? `does not answer within ${String(waitMs)} ms`
        : `does not respond (${messageOf(cause ?? error)}): start it (\`loopwatch start\`), or install the hook again with its address (--url)`,
    );
  }
}

function faultOf(
  status: number,
  body: string,
  tokenEnv: string | undefined,
  token: string | undefined,
): string | undefined {
  if (status === 401 || status === 403) return `answers ${String(status)}: ${tokenFault(tokenEnv, token)}`;
  const isJson = isJsonObject(body);
  if (status === 404 && isJson)
    return 'answers 404: it is an older Loopwatch without this hook, or another server';
  if (status >= 200 && status < 300 && isJson) return undefined;
  const what = isJson ? '' : /^\s*</.test(body) ? ' with a web page' : ' without JSON';
  return `answers ${String(status)}${what}: it is not a Loopwatch server, or a proxy answers for it`;
}

function tokenFault(tokenEnv: string | undefined, token: string | undefined): string {
  if (tokenEnv === undefined) return 'it requires a token; install the hook again with --token-env';
  return token === undefined
    ? `it requires a token, and ${tokenEnv} is not set here`
    : `it rejects the token in ${tokenEnv}`;
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}
