import { messageOf } from '@loopwatch/contract';
import { beginningOf } from '@loopwatch/platform';

/** More than any schema or token has. */
const MAX_ANSWER_MIB = 16;

/** What another service answered. */
export interface ServiceAnswer {
  readonly status: number;
  readonly text: string;
  /** The text as JSON; undefined if it is none. */
  readonly json: unknown;
}

/**
 * Asks a service over HTTP, and reads its whole answer, of at most 16 MiB.
 *
 * @param ms how long that may take
 * @throws Error whose message says why there is no answer, without its full stop
 */
export async function askService(url: string, request: RequestInit, ms: number): Promise<ServiceAnswer> {
  try {
    const response = await fetch(url, { ...request, signal: AbortSignal.timeout(ms) });
    const { text, isComplete } = await beginningOf(response, MAX_ANSWER_MIB * 1024 * 1024);
    if (!isComplete) throw new Error(`its answer is longer than ${String(MAX_ANSWER_MIB)} MiB`);
    return { status: response.status, text, json: jsonOf(text) };
  } catch (error) {
    throw new Error(reasonOf(error, ms), { cause: error });
  }
}

/** Whether the same request may succeed later. */
export function isTransient(status: number): boolean {
  return status >= 500 || status === 429 || status === 408;
}

function reasonOf(error: unknown, ms: number): string {
  if (!(error instanceof Error)) return messageOf(error);
  if (error.name === 'TimeoutError') return `no answer within ${String(ms / 1000)} seconds`;
  // fetch reports "fetch failed", and keeps the reason in its cause; that of several addresses has only a code.
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  const { code, message } = cause as NodeJS.ErrnoException;
  return message === '' ? (code ?? error.message) : message;
}

/** The value of a JSON text; undefined if it is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
