import type { ApiReply } from '@loopwatch/testkit';
import type { GatewayBench } from '../harness.ts';

export const call = (name: string, path: string) => ({ name, args: { path } });
export const read = call('read_file', 'a');

/** A gate in an answer: what is behind it is sent once it is open. */
export class Gate {
  open: () => void = () => undefined;
  readonly opened = new Promise<void>((resolve) => {
    this.open = resolve;
  });

  /** Puts it before the first piece that a test accepts. @param more a piece to add in front of it */
  before(reply: ApiReply, test: (piece: string) => boolean, more = ''): ApiReply {
    if (typeof reply !== 'object' || !('chunks' in reply)) throw new Error('an answer that is no stream');
    const at = reply.chunks.findIndex((chunk) => typeof chunk === 'string' && test(chunk));
    if (at === -1) throw new Error('no piece to put the gate before');
    return { ...reply, chunks: [...reply.chunks.slice(0, at), more, this.opened, ...reply.chunks.slice(at)] };
  }
}

/** Reads a stream of server-sent events, and tells each of its objects; a comment is an empty one. */
export async function readStream(
  bench: GatewayBench,
  path: string,
  body: object,
  onEvent: (event: Record<string, unknown>, all: string) => void,
): Promise<string> {
  const response = await fetch(`${bench.url}/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-session-id': 's-1' },
    body: JSON.stringify({ model: 'm', stream: true, ...body }),
  });
  let text = '';
  let told = 0;
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const events = text.split('\n\n').slice(0, -1);
    for (const event of events.slice(told)) {
      const data = /^data: (.*)$/m.exec(event)?.[1] ?? '';
      if (data !== '[DONE]') onEvent(JSON.parse(data || '{}') as Record<string, unknown>, text);
    }
    told = events.length;
  }
  return text;
}

export const user = [{ role: 'user', content: 'Go on' }];
/** How each API is asked, by what a call is known to be complete in its stream, and how it keeps a connection alive. */
export const apis = [
  {
    name: 'Chat Completions',
    path: '/chat/completions',
    body: { messages: user },
    end: (piece: string) => piece.includes('"finish_reason":"tool_calls"'),
    callEnd: (piece: string) => piece.includes('"finish_reason":"tool_calls"'),
    keepAlive: ': PROCESSING\n\n',
  },
  {
    name: 'Messages',
    path: '/messages',
    body: { messages: user, max_tokens: 100 },
    end: (piece: string) => piece.includes('message_delta'),
    callEnd: (piece: string) => piece.includes('content_block_stop'),
    keepAlive: 'event: ping\ndata: {"type": "ping"}\n\n',
  },
  {
    name: 'Responses',
    path: '/responses',
    body: { input: user },
    end: (piece: string) => piece.includes('response.completed'),
    callEnd: (piece: string) => piece.includes('arguments.done'),
    keepAlive: 'event: keepalive\ndata: {"type":"keepalive","sequence_number":7}\n\n',
  },
] as const;
