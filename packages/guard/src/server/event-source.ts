import type { get as httpGet } from 'node:http';

/** What a connection reports; `onClose` comes last, once. */
export interface ConnectionListener {
  readonly onData: (piece: string) => void;
  readonly onClose: () => void;
}

/** How long a connection may be silent; the server sends a keep-alive every 15 s. */
const SILENCE_MS = 45_000;

/**
 * Opens a stream of server-sent events. On Node it does not use `fetch`, whose open response would keep the process alive.
 *
 * @returns a function that closes it
 * @throws for an invalid URL
 */
export function openEventSource(
  url: string,
  headers: Readonly<Record<string, string>>,
  listener: ConnectionListener,
): () => void {
  const get = nodeGet(url.startsWith('https:') ? 'node:https' : 'node:http');
  return get === undefined ? openByFetch(url, headers, listener) : openByNode(get, url, headers, listener);
}

/** Node's client, without an import: an edge runtime has neither the module nor `process.getBuiltinModule`. */
function nodeGet(module: 'node:http' | 'node:https'): typeof httpGet | undefined {
  const { process: host } = globalThis as { process?: Partial<Pick<NodeJS.Process, 'getBuiltinModule'>> };
  return host?.getBuiltinModule?.(module).get;
}

function openByNode(
  get: typeof httpGet,
  url: string,
  headers: Readonly<Record<string, string>>,
  { onData, onClose }: ConnectionListener,
): () => void {
  const request = get(url, { headers, agent: false, timeout: SILENCE_MS });
  request.on('socket', (socket) => socket.unref());
  request.on('timeout', () => request.destroy());
  request.on('error', () => undefined);
  request.on('close', onClose);
  request.on('response', (response) => {
    if (response.statusCode !== 200) return void response.resume();
    response.setEncoding('utf8');
    response.on('error', () => undefined);
    response.on('data', onData);
  });
  return () => request.destroy();
}

function openByFetch(
  url: string,
  headers: Readonly<Record<string, string>>,
  { onData, onClose }: ConnectionListener,
): () => void {
  const controller = new AbortController();
  const read = async (): Promise<void> => {
    const response = await fetch(new URL(url), { headers, signal: controller.signal });
    if (response.status !== 200 || response.body === null) return;
    const decoder = new TextDecoder();
    const body = response.body as ReadableStream<Uint8Array>;
    const reader = body.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read())
      onData(decoder.decode(part.value, { stream: true }));
  };
  void read()
    .catch(() => undefined)
    .finally(() => {
      controller.abort();
      onClose();
    });
  return () => controller.abort();
}
