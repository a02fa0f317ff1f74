import { setTimeout as sleepFor } from 'node:timers/promises';

/** A file that cannot be had; the message says what, why and what to do. */
export class DownloadError extends Error {}

/** The server cannot be reached or wants no more requests now, so that other files cannot be had either. */
export class ServerUnavailable extends DownloadError {}

export interface DownloadOptions {
  readonly sleep?: (ms: number) => Promise<unknown>;
  readonly onRetry?: (message: string) => void;
}

const MAX_ATTEMPTS = 6;
const FIRST_WAIT_MS = 1000;
/** A server that asks for a longer pause is not waited for. */
const MAX_WAIT_MS = 120_000;
/** For one response. */
const TIMEOUT_MS = 120_000;

/** What has arrived of a file. */
interface Partial {
  chunks: Buffer[];
  /** Names this content; a strong one allows to ask for the rest of it only. */
  etag: string | undefined;
}

/** Result of one attempt: the file, or how long the server wants to be left alone before the next. */
type Attempt = { readonly bytes: Buffer } | { readonly problem: string; readonly waitMs?: number };

/**
 * Downloads a file. Temporary failures are retried, with growing pauses or with those that the server asks for. An interrupted
 * response is continued where it ended, if the server can.
 *
 * @throws DownloadError
 */
export async function download(url: string, options: DownloadOptions = {}): Promise<string> {
  const { sleep = sleepFor, onRetry } = options;
  const partial: Partial = { chunks: [], etag: undefined };
  let problem = '';
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const result = await attemptToGet(url, partial);
    if ('bytes' in result) return result.bytes.toString('utf8');
    ({ problem } = result);
    const waitMs = result.waitMs ?? FIRST_WAIT_MS * 2 ** (attempt - 1);
    if (waitMs > MAX_WAIT_MS)
      throw new ServerUnavailable(
        `${url}: ${problem}. The server asks to wait ${String(Math.ceil(waitMs / 60_000))} minutes. Run the command again then.`,
      );
    if (attempt === MAX_ATTEMPTS) break;
    onRetry?.(`${url}: ${problem}; next attempt in ${String(Math.ceil(waitMs / 1000))} s`);
    await sleep(waitMs);
  }
  throw new ServerUnavailable(
    `${url}: ${problem}, ${String(MAX_ATTEMPTS)} times. Check the connection (a proxy, a firewall), or name a mirror with --from.`,
  );
}

async function attemptToGet(url: string, partial: Partial): Promise<Attempt> {
  let response: Response;
  try {
    response = await fetch(url, { headers: headersFor(partial), signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (error) {
    return { problem: reasonOf(error) };
  }
  const { status } = response;
  const isRest = status === 206 && restStartsAt(response) === lengthOf(partial);
  if (status !== 200 && !isRest) {
    await response.body?.cancel();
    if (status === 206 || status === 416) partial.chunks = [];
    return failureOf(url, response);
  }
  if (!isRest) partial.chunks = [];
  partial.etag = strongTag(response);
  try {
    for await (const chunk of response.body ?? []) partial.chunks.push(Buffer.from(chunk as Uint8Array));
  } catch (error) {
    return {
      problem: `the response broke off after ${String(lengthOf(partial))} bytes (${reasonOf(error)})`,
    };
  }
  return { bytes: Buffer.concat(partial.chunks) };
}

function headersFor(partial: Partial): Record<string, string> {
  const headers = { 'user-agent': 'loopwatch-loopbench', 'accept-encoding': 'identity' };
  if (partial.chunks.length === 0) return headers;
  if (partial.etag === undefined) {
    partial.chunks = [];
    return headers;
  }
  return { ...headers, range: `bytes=${String(lengthOf(partial))}-`, 'if-range': partial.etag };
}

function failureOf(url: string, { status, statusText, headers }: Response): Attempt {
  const waitMs = retryAfter(headers.get('retry-after'));
  const problem = `${String(status)} ${statusText}`.trim();
  const isTemporary =
    status === 206 ||
    status === 408 ||
    status === 416 ||
    status === 429 ||
    status >= 500 ||
    (status === 403 && waitMs !== undefined);
  if (isTemporary) return { problem, ...(waitMs !== undefined && { waitMs }) };
  throw new DownloadError(
    `${url}: ${problem}. The file is not there (any more). Its runs are left out; a mirror can be named with --from.`,
  );
}

/** Seconds, or a date. @returns ms */
function retryAfter(value: string | null): number | undefined {
  if (value === null) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

function strongTag({ headers }: Response): string | undefined {
  const tag = headers.get('etag');
  return tag === null || tag.startsWith('W/') ? undefined : tag;
}

/** Where the part of a file in a response begins. */
function restStartsAt({ headers }: Response): number {
  return Number(/^bytes (\d+)-/.exec(headers.get('content-range') ?? '')?.[1]);
}

function lengthOf({ chunks }: Partial): number {
  return chunks.reduce((sum, { length }) => sum + length, 0);
}

/** `fetch` has the reason of a failure in its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message;
}
