import type { DiscordChannel } from '../channel.ts';
import { isAboutIncident, type NotificationMessage } from '../message.ts';
import { messageText } from '../message-text.ts';
import { post, type SendContext, type SendResult } from '../post.ts';
import { cutText } from './cut-text.ts';

/** A webhook of a channel: one message per incident is posted and updated. */
export async function sendDiscord(
  { url }: DiscordChannel,
  message: NotificationMessage,
  { signal }: SendContext,
): Promise<SendResult> {
  const body = JSON.stringify(discordMessage(message));
  const posted = isAboutIncident(message) ? message.ref : null;
  if (posted !== null) {
    const updated = await post({ url: messageUrl(url, posted), method: 'PATCH', body, signal });
    if (updated.outcome === 'answered') return { outcome: 'sent', ref: posted };
    // Someone has deleted it, so it is posted again.
    if (updated.outcome !== 'refused' || !updated.reason.startsWith('HTTP 404')) return updated;
  }
  const answer = await post({ url: waiting(url), body, signal });
  if (answer.outcome !== 'answered') return answer;
  const ref = idIn(answer.text);
  return { outcome: 'sent', ...(ref !== undefined && { ref }) };
}

/** Discord then answers with the message. Other parameters, such as the thread, stay. */
function waiting(url: string): string {
  const own = new URL(url);
  own.searchParams.set('wait', 'true');
  return own.href;
}

function messageUrl(url: string, id: string): string {
  const own = new URL(url);
  own.pathname = `${own.pathname.replace(/\/$/, '')}/messages/${encodeURIComponent(id)}`;
  return own.href;
}

function idIn(text: string): string | undefined {
  try {
    const { id } = JSON.parse(text) as { readonly id?: unknown };
    return typeof id === 'string' ? id : undefined;
  } catch {
    return undefined;
  }
}

const colors = {
  'incident.opened': 0xe5484d,
  'incident.escalated': 0xe5484d,
  'incident.resolved': 0x30a46c,
  'incidents.digest': 0xe5484d,
  'report.weekly': 0x3e63dd,
  test: 0x3e63dd,
} as const;

/** Limits: 256 characters for a title, 1,024 for a field, 6,000 for all texts. Each escape doubles a character. */
export function discordMessage(message: NotificationMessage): object {
  const { title, facts } = messageText(message);
  return {
    username: 'Loopwatch',
    // Text from agents mentions no one.
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: escaped(title, 128),
        url: message.url,
        color: colors[message.type],
        fields: facts.map(({ label, text }) => ({ name: label, value: escaped(text, 450) })),
        timestamp: new Date(message.at).toISOString(),
      },
    ],
  };
}

/** Text from agents must not make links either. */
function escaped(text: string, maxLength: number): string {
  return cutText(text, maxLength)
    .replace(/[\\*_~`|>[\]()<#-]/g, '\\$&')
    .replaceAll('://', ':\u200b//');
}
