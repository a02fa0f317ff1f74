import { hiddenValue } from '@loopwatch/contract/internal';
import { type NotificationChannel, secretsOf } from '../channel.ts';
import type { NotificationMessage } from '../message.ts';
import type { SendContext, SendResult } from '../post.ts';
import { sendDiscord } from './discord.ts';
import { sendEmail } from './email.ts';
import { sendLangfuse } from './langfuse.ts';
import { sendOtlp } from './otlp.ts';
import { sendPagerduty } from './pagerduty.ts';
import { sendSlack } from './slack.ts';
import { sendTeams } from './teams.ts';
import { sendWebhook } from './webhook.ts';

/** Sends a message once. The channel's secrets are removed from the reason of a failure. */
export async function send(
  channel: NotificationChannel,
  message: NotificationMessage,
  context: SendContext,
): Promise<SendResult> {
  const result = await sendByType(channel, message, context);
  if (result.outcome === 'sent') return result;
  const secrets = secretsOf(channel).filter((secret) => secret !== '');
  const reason = secrets.reduce((text, secret) => text.replaceAll(secret, hiddenValue), result.reason);
  return { ...result, reason };
}

function sendByType(
  channel: NotificationChannel,
  message: NotificationMessage,
  context: SendContext,
): Promise<SendResult> {
  switch (channel.type) {
    case 'webhook':
      return sendWebhook(channel, message, context);
    case 'slack':
      return sendSlack(channel, message, context);
    case 'teams':
      return sendTeams(channel, message, context);
    case 'discord':
      return sendDiscord(channel, message, context);
    case 'email':
      return sendEmail(channel, message, context);
    case 'pagerduty':
      return sendPagerduty(channel, message, context);
    case 'langfuse':
      return sendLangfuse(channel, message, context);
    case 'otlp':
      return sendOtlp(channel, message, context);
  }
}
