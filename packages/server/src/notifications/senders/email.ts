import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { EmailChannel } from '../channel.ts';
import { credentialHostReason, isCredentialHost } from '../credential-hosts.ts';
import { isAboutIncident, messageId, type NotificationMessage } from '../message.ts';
import { messageText, plainText } from '../message-text.ts';
import { causeOf, type SendContext, type SendResult, TIMEOUT_MS, unlessAborted } from '../post.ts';
import { cutText } from './cut-text.ts';

const MAX_SUBJECT_LENGTH = 200;

/** A plain text message by SMTP. The messages about an incident are one conversation. */
export async function sendEmail(
  channel: EmailChannel,
  message: NotificationMessage,
  context: SendContext,
  isForbidden = isCredentialHost,
): Promise<SendResult> {
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  let socket: Socket | undefined;
  const end = () => socket?.destroy();
  try {
    const { host, port } = channel;
    if (await unlessAborted(isForbidden(host), signal))
      return { outcome: 'refused', reason: credentialHostReason };
    signal.addEventListener('abort', end);
    socket = connect({ host, port });
    await once(socket, 'connect', { signal });
    await unlessAborted(deliver(channel, message, socket), signal);
    return { outcome: 'sent' };
  } catch (error) {
    return failureOf(signal.aborted ? signal.reason : error);
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}

/** The socket is our own, so that it can be closed at any moment. */
async function deliver(channel: EmailChannel, message: NotificationMessage, socket: Socket): Promise<void> {
  const { host, port, encryption, user, password, from, to } = channel;
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    host,
    port,
    connection: socket,
    secure: encryption === 'tls',
    requireTLS: encryption === 'starttls',
    ignoreTLS: encryption === 'none',
    ...(user !== undefined && password !== undefined && { auth: { user, pass: password } }),
    // Nothing but the message is read: neither files nor URLs.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = from.replace(/^.*@/, '');
  await transport.sendMail({
    from: { name: 'Loopwatch', address: from },
    to,
    subject: cutText(messageText(message).title, MAX_SUBJECT_LENGTH),
    text: `${plainText(message)}\n`,
    messageId: `<${message.id}@${domain}>`,
    ...(isAboutIncident(message) && {
      references: `<${messageId(channel.name, message.incident.id)}@${domain}>`,
    }),
    headers: { 'Auto-Submitted': 'auto-generated' },
  });
}

/** A mail server says by the first digit of its answer whether a retry makes sense. */
function failureOf(error: unknown): Exclude<SendResult, { outcome: 'sent' }> {
  const { responseCode, response } = (error ?? {}) as { responseCode?: unknown; response?: unknown };
  const reason = typeof response === 'string' ? `SMTP ${response}` : causeOf(error);
  const isPermanent = typeof responseCode === 'number' && responseCode >= 500;
  return { outcome: isPermanent ? 'refused' : 'retry', reason };
}
