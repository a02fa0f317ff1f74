import { failSpan, inSpan } from '@loopwatch/telemetry';
import { SpanKind } from '@opentelemetry/api';
import type { DeliveryOptions } from './delivery.ts';

/** Records a span for each attempt to deliver a message. */
export function traceSend(send: DeliveryOptions['send']): DeliveryOptions['send'] {
  return (channel, message, context) => {
    const attributes = {
      'loopwatch.notification.name': channel.name,
      'loopwatch.notification.type': channel.type,
      'loopwatch.notification.message': message.type,
    };
    const options = { kind: SpanKind.CLIENT, attributes, root: true };
    return inSpan(`notify ${channel.type}`, options, async (span) => {
      const result = await send(channel, message, context);
      span.setAttribute('loopwatch.notification.outcome', result.outcome);
      if (result.outcome !== 'sent') failSpan(span, result.outcome, result.reason);
      return result;
    });
  };
}
