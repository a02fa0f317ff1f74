import type { TeamsChannel } from '../channel.ts';
import type { NotificationMessage } from '../message.ts';
import { messageText } from '../message-text.ts';
import { post, type SendContext, type SendResult } from '../post.ts';
import { cutText } from './cut-text.ts';

/** A workflow of Teams that posts the card it receives. It answers before it has posted, without an id. */
export async function sendTeams(
  { url }: TeamsChannel,
  message: NotificationMessage,
  { signal }: SendContext,
): Promise<SendResult> {
  const answer = await post({ url, body: JSON.stringify(teamsMessage(message)), signal });
  return answer.outcome === 'answered' ? { outcome: 'sent' } : answer;
}

/** A message has at most 28 KB; a character can take 6 bytes of JSON. */
const MAX_TEXT_LENGTH = 580;

/** Text runs show what agents say as it is; other texts of cards would be read as Markdown. */
export function teamsMessage(message: NotificationMessage): object {
  const { title, facts } = messageText(message);
  const run = (text: string, style: object = {}) => ({
    type: 'TextRun',
    text: cutText(text, MAX_TEXT_LENGTH),
    ...style,
  });
  const lines = [
    [run(title, { weight: 'Bolder', size: 'Medium' })],
    ...facts.map(({ label, text }) => [run(`${label}: `, { weight: 'Bolder' }), run(text)]),
  ];
  const card = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: lines.map((inlines) => ({ type: 'RichTextBlock', inlines })),
    actions: [{ type: 'Action.OpenUrl', title: 'Open in Loopwatch', url: message.url }],
    msteams: { width: 'Full' },
  };
  const contentType = 'application/vnd.microsoft.card.adaptive';
  return { type: 'message', attachments: [{ contentType, contentUrl: null, content: card }] };
}
