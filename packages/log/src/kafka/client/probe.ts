import { connect, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';

/**
 * Probes, without credentials, which protocol a port speaks. A broker closes the connection of a client that uses the wrong
 * protocol without giving a reason; a probe finds the reason.
 */

/** How a probe connects: with TLS and these options, or in plain text. */
export type ProbeTransport = ConnectionOptions | 'plain';

const TIMEOUT_MS = 3_000;
const API_VERSIONS = 18;
const SASL_HANDSHAKE = 17;
const CORRELATION = 0x6c6f6f70;

/** Whether a Kafka broker answers over this transport, with or without requiring a login. */
export function answersKafka(address: string, transport: ProbeTransport): Promise<boolean> {
  return exchange(address, transport, API_VERSIONS, 0, noBytes).then(
    () => true,
    () => false,
  );
}

/** Whether the port speaks TLS, regardless of its certificate. */
export function answersTls(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = open(address, {}, () => done(true));
    const timer = setTimeout(() => done(false), TIMEOUT_MS);
    const done = (answer: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    socket.on('error', () => done(false));
    socket.on('close', () => done(false));
  });
}

/** The SASL mechanisms that a listener offers; none if it does not list them. */
export async function offeredMechanisms(address: string, transport: ProbeTransport): Promise<string[]> {
  const name = Buffer.from('PLAIN');
  try {
    const answer = await exchange(
      address,
      transport,
      SASL_HANDSHAKE,
      1,
      Buffer.concat([int16(name.length), name]),
    );
    return stringsIn(answer.subarray(2));
  } catch {
    return [];
  }
}

/** Certificates need not be verified, because a probe sends nothing confidential. */
const anyCertificate = { rejectUnauthorized: false } as const;
const noBytes = Buffer.alloc(0);

/** Sends one request and resolves with the response body; rejects if there is no response. */
function exchange(
  address: string,
  transport: ProbeTransport,
  apiKey: number,
  version: number,
  body: Buffer,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = open(address, transport, () => socket.write(requestOf(apiKey, version, body)));
    const fail = (error: Error) => {
      clearTimeout(timer);
      socket.destroy();
      reject(error);
    };
    const timer = setTimeout(() => fail(new Error('no answer')), TIMEOUT_MS);
    let received = noBytes;
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 8) return;
      // Bytes of another protocol would otherwise be read as a length.
      if (received.readInt32BE(4) !== CORRELATION) fail(new Error('not a Kafka response'));
      const end = 4 + received.readInt32BE(0);
      if (received.length < end) return;
      clearTimeout(timer);
      socket.destroy();
      resolve(received.subarray(8, end));
    });
    socket.on('error', fail);
    socket.on('close', () => fail(new Error('closed')));
  });
}

function open(address: string, transport: ProbeTransport, onConnect: () => void): Socket {
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon).replace(/^\[(.*)\]$/, '$1');
  const port = Number(address.slice(colon + 1));
  if (transport === 'plain') return connect({ host, port }, onConnect);
  const servername = isIP(host) === 0 ? { servername: host } : {};
  return connectTls({ ...transport, ...anyCertificate, host, port, ...servername }, onConnect);
}

function requestOf(apiKey: number, version: number, body: Buffer): Buffer {
  const client = Buffer.from('loopwatch');
  const header = [int16(apiKey), int16(version), int32(CORRELATION), int16(client.length), client];
  const request = Buffer.concat([...header, body]);
  return Buffer.concat([int32(request.length), request]);
}

function stringsIn(bytes: Buffer): string[] {
  const texts: string[] = [];
  let at = 4;
  for (let left = bytes.readInt32BE(0); left > 0; left -= 1) {
    const end = at + 2 + bytes.readInt16BE(at);
    texts.push(bytes.toString('utf8', at + 2, end));
    at = end;
  }
  return texts;
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
