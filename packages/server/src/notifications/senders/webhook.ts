import { createHmac } from 'node:crypto';
import type { WebhookChannel } from '../channel.ts';
import type { NotificationMessage } from '../message.ts';
import { plainText } from '../message-text.ts';
import { post, type SendContext, type SendResult } from '../post.ts';

/** JSON, signed as specified by Standard Webhooks. */
export async function sendWebhook(
  { url, secret }: WebhookChannel,
  message: NotificationMessage,
  { signal, now }: SendContext,
): Promise<SendResult> {
  const body = JSON.stringify(webhookBody(message));
  const timestamp = String(Math.floor(now / 1_000));
  const headers = {
    'webhook-id': message.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signature(secret, `${message.id}.${timestamp}.${body}`),
  };
  const answer = await post({ url, headers, body, signal });
  return answer.outcome === 'answered' ? { outcome: 'sent' } : answer;
}

export function webhookBody(message: NotificationMessage): object {
  const { type, id, at, url } = message;
  return {
    type,
    id,
    timestamp: new Date(at).toISOString(),
    data: { text: plainText(message), url, ...dataOf(message) },
  };
}

function dataOf(message: NotificationMessage): object {
  if (message.type === 'test') return {};
  if (message.type === 'report.weekly') return { report: message.report };
  if (message.type !== 'incidents.digest') return { incident: message.incident };
  const { count, open, since } = message;
  return { count, open, since };
}

const encoded = 'whsec_';

/** A secret with the prefix whsec_ is base64, as the specification says; any other is used as is. */
function signature(secret: string, content: string): string {
  const key = secret.startsWith(encoded)
    ? Buffer.from(secret.slice(encoded.length), 'base64')
    : Buffer.from(secret);
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}
