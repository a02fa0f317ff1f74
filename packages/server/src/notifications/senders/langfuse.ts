import type { LangfuseChannel } from '../channel.ts';
import { isAboutIncident, messageId, type NotificationMessage } from '../message.ts';
import { messageText } from '../message-text.ts';
import { post, type SendContext, type SendResult } from '../post.ts';

/** A score of the session; later messages about an incident replace its score. */
export async function sendLangfuse(
  channel: LangfuseChannel,
  message: NotificationMessage,
  { signal }: SendContext,
): Promise<SendResult> {
  const { base_url: base, public_key: user, secret_key: password } = channel;
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  const body = JSON.stringify(langfuseScore(channel, message));
  const url = `${base.replace(/\/$/, '')}/api/public/scores`;
  const answer = await post({ url, headers: { authorization }, body, signal });
  return answer.outcome === 'answered' ? { outcome: 'sent' } : answer;
}

export function langfuseScore(
  { name, score }: Pick<LangfuseChannel, 'name' | 'score'>,
  message: NotificationMessage,
): object {
  const comment = messageText(message).title;
  const common = { name: score, dataType: 'BOOLEAN' };
  if (!isAboutIncident(message))
    return { ...common, id: message.id, sessionId: 'loopwatch-test', value: 0, comment };
  const { id, sessionId, detector, kind, action, state, outcome, count, cost, tool } = message.incident;
  return {
    ...common,
    id: messageId(name, id),
    sessionId,
    value: 1,
    comment,
    metadata: {
      incidentId: id,
      url: message.url,
      detector,
      kind,
      action,
      state,
      outcome,
      count,
      tool: tool?.name ?? null,
      ...cost,
    },
  };
}
