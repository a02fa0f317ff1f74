import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAuthority } from '@loopwatch/testkit';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  readonly user: unknown;
  readonly secure: boolean;
  readonly text: string;
}

interface MailServer extends AsyncDisposable {
  readonly port: number;
  readonly mails: readonly Mail[];
}

/** Signs the certificates of the servers; no one trusts it unless told. */
export const authority = createAuthority('mail authority');
const { certificate: cert, key } = authority.issue({ commonName: 'mail server', addresses: ['127.0.0.1'] });

/** A mail server on a free port. It accepts any user with the password `right`. */
export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const mails: Mail[] = [];
  const server = new SMTPServer({
    cert,
    key,
    authOptional: true,
    onAuth: ({ username, password }, _session, done) => {
      if (password === 'right') done(null, { user: username });
      else done(new Error('Invalid username or password'));
    },
    onData: (stream, { envelope, user, secure }, done) => {
      const pieces: Buffer[] = [];
      stream.on('data', (piece: Buffer) => pieces.push(piece));
      stream.on('end', () => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        const to = envelope.rcptTo.map(({ address }) => address);
        mails.push({ from, to, user, secure, text: Buffer.concat(pieces).toString() });
        done();
      });
    },
    ...options,
  });
  // Clients that refuse the certificate.
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(resolve);
      }),
  };
}

/** Refuses each receiver. */
export function refuse(responseCode: number, text: string): NonNullable<SMTPServerOptions['onRcptTo']> {
  return (_address, _session, done) => {
    done(Object.assign(new Error(text), { responseCode }));
  };
}
