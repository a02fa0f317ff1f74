import { createServer, type Server, type Socket } from 'node:net';
import { type AnswerMode, answer } from './conversations.ts';

/** Time from the first event to the second of a paced answer. */
const PAUSE_MS = 5;
/** Answers prepared at a time: more than the steps of a session. */
const PREPARED = 64;

/**
 * A model with prepared answers, on bare sockets, so that it is never the bottleneck. The header `x-answer` names the answer:
 * `conversation/step/mode`.
 */
export function startUpstream(): Server {
  return createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => socket.destroy());
    let head = '';
    let left = 0;
    socket.on('data', (chunk) => {
      if (left > 0) left -= chunk.length;
      else {
        head += chunk.toString('latin1');
        const end = head.indexOf('\r\n\r\n');
        if (end === -1) return;
        left = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0) - (head.length - end - 4);
      }
      if (left > 0) return;
      const [, conversation, step, mode] = /\r\nx-answer: *(-?\d+)\/(\d+)\/(\w+)/i.exec(head) ?? [];
      head = '';
      send(socket, prepared(Number(conversation), Number(step), mode as AnswerMode), mode as AnswerMode);
    });
  });
}

const cache = new Map<string, readonly Buffer[]>();

/** The first part of a stream is its head together with its first event. */
function prepared(conversation: number, step: number, mode: AnswerMode): readonly Buffer[] {
  const known = cache.get(keyOf(conversation, step, mode));
  if (known !== undefined) return known;
  // With the first request of a conversation, which is not timed.
  for (let next = step; next < step + PREPARED; next += 1)
    cache.set(keyOf(conversation, next, mode), prepare(conversation, next, mode));
  return cache.get(keyOf(conversation, step, mode)) ?? [];
}

function keyOf(conversation: number, step: number, mode: AnswerMode): string {
  return `${String(conversation)}/${String(step)}/${mode}`;
}

function prepare(conversation: number, step: number, mode: AnswerMode): readonly Buffer[] {
  const parts = answer(conversation, step, mode !== 'whole').map((part) => Buffer.from(part));
  return mode === 'whole' ? [document(parts)] : chunked(parts, mode);
}

function document(parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${String(body.length)}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

function chunked(parts: readonly Buffer[], mode: AnswerMode): Buffer[] {
  const [first = Buffer.alloc(0), ...others] = parts.map((part) =>
    Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]),
  );
  const head =
    'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\nx-request-id: req_1\r\ntransfer-encoding: chunked\r\n\r\n';
  const chunks = [Buffer.concat([Buffer.from(head), first]), ...others, Buffer.from('0\r\n\r\n')];
  return mode === 'burst' ? [Buffer.concat(chunks)] : chunks;
}

function send(socket: Socket, parts: readonly Buffer[], mode: AnswerMode): void {
  let next = 0;
  const write = (): void => {
    const part = parts[next];
    if (part === undefined || socket.destroyed) return;
    socket.write(part);
    next += 1;
    if (next === 1 && mode === 'paced') setTimeout(write, PAUSE_MS);
    else setImmediate(write);
  };
  write();
}
