import { type NotificationTest, notificationTestSchema } from '@loopwatch/contract/api';
import { request } from './client.ts';

/** Sends a test message; rejects with the reason when it is not delivered. */
export function testNotification(name: string): Promise<NotificationTest> {
  return request(notificationTestSchema, `/notifications/${encodeURIComponent(name)}/test`, {
    method: 'POST',
  });
}
