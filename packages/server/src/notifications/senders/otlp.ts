import type { OtlpChannel } from '../channel.ts';
import { isAboutIncident, type NotificationMessage } from '../message.ts';
import { messageText } from '../message-text.ts';
import { post, type SendContext, type SendResult } from '../post.ts';

/** OTLP/HTTP: a log record with the event gen_ai.evaluation.result of the semantic conventions. */
export async function sendOtlp(
  { endpoint, headers = {} }: OtlpChannel,
  message: NotificationMessage,
  { signal, now }: SendContext,
): Promise<SendResult> {
  const url = `${endpoint.replace(/\/$/, '')}/v1/logs`;
  const answer = await post({ url, headers, body: JSON.stringify(otlpLogs(message, now)), signal });
  return answer.outcome === 'answered' ? { outcome: 'sent' } : answer;
}

const eventName = 'gen_ai.evaluation.result';

export function otlpLogs(message: NotificationMessage, now: number): object {
  const logRecord = {
    timeUnixNano: nanoseconds(message.at),
    observedTimeUnixNano: nanoseconds(now),
    severityNumber: message.type === 'test' ? 9 : 13,
    severityText: message.type === 'test' ? 'INFO' : 'WARN',
    eventName,
    body: { stringValue: messageText(message).title },
    attributes: attributesOf(message),
  };
  return {
    resourceLogs: [
      {
        resource: { attributes: [attribute('service.name', 'loopwatch')] },
        scopeLogs: [{ scope: { name: 'loopwatch' }, logRecords: [logRecord] }],
      },
    ],
  };
}

function attributesOf(message: NotificationMessage): object[] {
  const { title } = messageText(message);
  const own = {
    'event.name': eventName,
    'gen_ai.evaluation.explanation': title,
    'loopwatch.message.id': message.id,
    'loopwatch.url': message.url,
  };
  if (!isAboutIncident(message)) return attributes({ ...own, 'gen_ai.evaluation.name': 'loopwatch.test' });
  const { incident } = message;
  return attributes({
    ...own,
    'gen_ai.evaluation.name': `loopwatch.${incident.detector}`,
    'gen_ai.evaluation.score.value': 1,
    'gen_ai.evaluation.score.label': message.type === 'incident.resolved' ? 'resolved' : incident.action,
    'gen_ai.conversation.id': incident.sessionId,
    'gen_ai.agent.name': incident.agent,
    'gen_ai.request.model': incident.model,
    'gen_ai.tool.name': incident.tool?.name,
    'loopwatch.incident.id': incident.id,
    'loopwatch.incident.kind': incident.kind,
    'loopwatch.incident.outcome': incident.outcome,
    'loopwatch.incident.count': incident.count,
    'loopwatch.cost.calls': incident.cost.calls,
    'loopwatch.cost.tokens': incident.cost.tokens,
    'loopwatch.cost.usd': incident.cost.usd,
  });
}

function attributes(values: Readonly<Record<string, string | number | null | undefined>>): object[] {
  return Object.entries(values).flatMap(([key, value]) => (value == null ? [] : [attribute(key, value)]));
}

function attribute(key: string, value: string | number): object {
  return { key, value: typeof value === 'string' ? { stringValue: value } : { doubleValue: value } };
}

function nanoseconds(ms: number): string {
  return (BigInt(Math.round(ms)) * 1_000_000n).toString();
}
