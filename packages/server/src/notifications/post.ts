import { once } from 'node:events';
import { messageOf } from '@loopwatch/contract';
import { beginningOf } from '@loopwatch/platform';
import { credentialHostReason, isCredentialUrl } from './credential-hosts.ts';

/** The outcome of sending a message. */
export type SendResult =
  | { readonly outcome: 'sent' /** The receiver's id of the message. */; readonly ref?: string }
  | { readonly outcome: 'retry'; readonly reason: string; readonly afterMs?: number }
  /** Permanent: a retry would be refused again. */
  | { readonly outcome: 'refused'; readonly reason: string };

export interface SendContext {
  /** Aborted when the server stops. */
  readonly signal: AbortSignal;
  /** Wall clock, epoch ms. */
  readonly now: number;
}

export interface PostRequest {
  readonly url: string;
  /** Default: POST. */
  readonly method?: 'POST' | 'PATCH';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

/** A successful response of a receiver. */
export interface PostAnswer {
  readonly outcome: 'answered';
  readonly text: string;
}

/** For one message. */
export const TIMEOUT_MS = 10_000;
const MAX_RETRY_AFTER_MS = 86_400_000;
const MAX_QUOTE_LENGTH = 200;
/** More than any receiver answers. */
const MAX_ANSWER_BYTES = 65_536;

/**
 * Posts JSON once. Redirects are not followed: body and headers are for the configured address only.
 *
 * @param isForbidden for tests: whether nothing may be sent to a URL
 */
export async function post(
  request: PostRequest,
  isForbidden = isCredentialUrl,
): Promise<PostAnswer | Exclude<SendResult, { outcome: 'sent' }>> {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    if (await unlessAborted(isForbidden(request.url), signal))
      return { outcome: 'refused', reason: credentialHostReason };
    const { url, authorization } = withoutLogin(request.url);
    const response = await fetch(url, {
      method: request.method ?? 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'loopwatch',
        ...authorization,
        ...request.headers,
      },
      body: request.body,
      redirect: 'manual',
      signal,
    });
    const { text } = await beginningOf(response, MAX_ANSWER_BYTES);
    if (response.ok) return { outcome: 'answered', text };
    const reason = `HTTP ${String(response.status)} ${text.trim().slice(0, MAX_QUOTE_LENGTH)}`.trim();
    const { status } = response;
    if (status >= 300 && status < 400)
      return { outcome: 'refused', reason: `HTTP ${String(status)}: redirects are not followed` };
    if (status !== 408 && status !== 429 && status < 500) return { outcome: 'refused', reason };
    const afterMs = retryAfter(response.headers.get('retry-after') ?? retryAfterIn(text));
    return { outcome: 'retry', reason, ...(afterMs !== undefined && { afterMs }) };
  } catch (error) {
    return { outcome: 'retry', reason: causeOf(error) };
  }
}

/** `fetch` refuses a URL with a user and password; other clients send them as this header, too. */
function withoutLogin(text: string): { url: URL; authorization?: { authorization: string } } {
  const url = new URL(text);
  const login = [url.username, url.password].map(decodeURIComponent).join(':');
  if (login === ':') return { url };
  url.username = url.password = '';
  return { url, authorization: { authorization: `Basic ${Buffer.from(login).toString('base64')}` } };
}

/** The result, unless the signal is aborted first: a lookup of a name cannot be aborted itself. */
export function unlessAborted<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = once(signal, 'abort').then(() => {
    throw signal.reason;
  });
  return Promise.race([result, aborted]);
}

/** Seconds in the body of an answer, as Discord has them. */
function retryAfterIn(text: string): string | null {
  return /"retry_after":\s*([\d.]+)/.exec(text)?.[1] ?? null;
}

/** Seconds, or a date. */
function retryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+(?:\.\d+)?$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.min(MAX_RETRY_AFTER_MS, Math.max(0, ms));
}

export function causeOf(error: unknown): string {
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return `timeout after ${String(TIMEOUT_MS / 1_000)} s`;
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof AggregateError) return messageOf(cause.errors[0]);
  return messageOf(cause ?? error);
}
