import type { SlackChannel } from '../channel.ts';
import type { NotificationMessage } from '../message.ts';
import { messageText } from '../message-text.ts';
import { post, type SendContext, type SendResult } from '../post.ts';
import { cutText } from './cut-text.ts';

/** With a bot token, one message per incident is posted and updated; an incoming webhook can only post new ones. */
export async function sendSlack(
  { url, token, channel = '', api_url: api }: SlackChannel,
  message: NotificationMessage,
  { signal }: SendContext,
): Promise<SendResult> {
  const content = slackContent(message);
  if (token === undefined) {
    const answer = await post({ url: url ?? '', body: JSON.stringify(content), signal });
    return answer.outcome === 'answered' ? { outcome: 'sent' } : answer;
  }
  const call = (method: string, body: object): Promise<SendResult> =>
    callApi({ url: `${api}/${method}`, token, body, signal });
  const posted = 'ref' in message && message.ref !== null ? parseRef(message.ref) : undefined;
  if (posted !== undefined) {
    const updated = await call('chat.update', { ...posted, ...content });
    if (updated.outcome !== 'refused' || !goneErrors.has(updated.reason)) return updated;
  }
  return call('chat.postMessage', { channel, unfurl_links: false, ...content });
}

/** The message can no longer be updated, so a new one is posted instead. */
const goneErrors = new Set(['message_not_found', 'cant_update_message', 'edit_window_closed']);
const transientErrors = new Set([
  'ratelimited',
  'rate_limited',
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
]);

/** Slack reports errors with status 200 and an error code. */
async function callApi({
  url,
  token,
  body,
  signal,
}: {
  readonly url: string;
  readonly token: string;
  readonly body: object;
  readonly signal: AbortSignal;
}): Promise<SendResult> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json; charset=utf-8' };
  const answer = await post({ url, headers, body: JSON.stringify(body), signal });
  if (answer.outcome !== 'answered') return answer;
  const { ok, error = 'not a Slack response', channel, ts } = readAnswer(answer.text);
  if (ok === true) return { outcome: 'sent', ref: JSON.stringify({ channel, ts }) };
  return { outcome: transientErrors.has(error) ? 'retry' : 'refused', reason: error };
}

interface SlackAnswer {
  readonly ok?: boolean;
  readonly error?: string;
  readonly channel?: string;
  readonly ts?: string;
}

function readAnswer(text: string): SlackAnswer {
  try {
    return JSON.parse(text) as SlackAnswer;
  } catch {
    return {};
  }
}

function parseRef(ref: string): { channel: string; ts: string } {
  return JSON.parse(ref) as { channel: string; ts: string };
}

const emojis = {
  'incident.opened': '🔴',
  'incident.escalated': '🔴',
  'incident.resolved': '✅',
  'incidents.digest': '🔴',
  'report.weekly': '📊',
  test: '👋',
} as const;

/** Slack's limits are 3,000 characters per text and 2,000 per field. */
export function slackContent(message: NotificationMessage): { text: string; blocks: object[] } {
  const { title, facts } = messageText(message);
  const text = `${emojis[message.type]} ${escaped(title, 580)}`;
  const fields = facts.map(({ label, text: value }) => markup(`*${label}*\n${escaped(value, 380)}`));
  return {
    text,
    blocks: [
      { type: 'section', text: markup(`*${text}*`) },
      ...(fields.length === 0 ? [] : [{ type: 'section', fields }]),
      { type: 'context', elements: [markup(`<${message.url}|Open in Loopwatch>`)] },
    ],
  };
}

/** Slack makes links of addresses, and of names of channels, unless the text is verbatim. */
function markup(text: string): object {
  return { type: 'mrkdwn', text, verbatim: true };
}

/** Text from agents must neither mention people nor make links. */
function escaped(text: string, maxLength: number): string {
  return cutText(text, maxLength)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/[*_~`]/g, '\u200b$&');
}
