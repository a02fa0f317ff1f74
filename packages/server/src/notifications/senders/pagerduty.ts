import { oneLine } from '@loopwatch/detectors/internal';
import type { PagerdutyChannel } from '../channel.ts';
import { isAboutIncident, type NotificationMessage } from '../message.ts';
import { messageText } from '../message-text.ts';
import { post, type SendContext, type SendResult } from '../post.ts';
import { cutText } from './cut-text.ts';

/** Events API v2: one alert per incident, resolved with it. */
export async function sendPagerduty(
  channel: PagerdutyChannel,
  message: NotificationMessage,
  { signal }: SendContext,
): Promise<SendResult> {
  const body = JSON.stringify({ routing_key: channel.routing_key, ...pagerdutyEvent(message) });
  const answer = await post({ url: channel.api_url, body, signal });
  return answer.outcome === 'answered' ? { outcome: 'sent' } : answer;
}

const severities = { none: 'info', warn: 'warning', chance: 'error', block: 'critical' } as const;

export function pagerdutyEvent(message: NotificationMessage): object {
  const { title, facts } = messageText(message);
  const links = [{ href: message.url, text: 'Open in Loopwatch' }];
  const summary = cutText(title, 1_024);
  const common = { client: 'Loopwatch', client_url: message.url, links };
  if (!isAboutIncident(message)) {
    return {
      ...common,
      event_action: 'trigger',
      // All digests share one alert, which a person has to close.
      dedup_key: message.type === 'test' ? message.id : 'loopwatch-digest',
      payload: { summary, source: 'loopwatch', severity: message.type === 'test' ? 'info' : 'error' },
    };
  }
  const { id, agent, sessionId, action, detector, kind, openedAt, tool } = message.incident;
  if (message.type === 'incident.resolved') return { event_action: 'resolve', dedup_key: id.slice(0, 255) };
  return {
    ...common,
    event_action: 'trigger',
    dedup_key: id.slice(0, 255),
    payload: {
      summary,
      source: oneLine(agent ?? sessionId),
      severity: severities[action],
      timestamp: new Date(openedAt).toISOString(),
      component: tool === null ? undefined : oneLine(tool.name),
      group: detector,
      class: kind,
      custom_details: Object.fromEntries(facts.map(({ label, text }) => [label, text])),
    },
  };
}
