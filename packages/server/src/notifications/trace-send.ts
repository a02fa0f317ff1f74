import { inSpan, type Tracing } from '@loopwatch/telemetry';
import type { DeliveryOptions } from './delivery.ts';

/** Records a span for each attempt to deliver a message. */
export function traceSend(
  send: DeliveryOptions['send'],
  tracing: Tracing | undefined,
): DeliveryOptions['send'] {
  if (tracing === undefined) return send;
  return (channel, message, context) => {
    const attributes = {
      'loopwatch.notification.name': channel.name,
      'loopwatch.notification.type': channel.type,
      'loopwatch.notification.message': message.type,
    };
    return inSpan(
      tracing,
      `notify ${channel.type}`,
      { kind: 'client', attributes, parent: null },
      async (span) => {
        const result = await send(channel, message, context);
        span?.set({ 'loopwatch.notification.outcome': result.outcome });
        if (result.outcome !== 'sent') span?.fail(result.outcome, result.reason);
        return result;
      },
    );
  };
}
