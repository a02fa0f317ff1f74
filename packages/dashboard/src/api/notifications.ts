import {
  type NotificationPut,
  type NotificationTest,
  notificationStatusSchema,
  notificationsSchema,
  notificationTestSchema,
} from '@loopwatch/contract/api';
import { queryOptions } from '@tanstack/react-query';
import { request, send } from './client.ts';

/** Receivers; polled, since their delivery status changes. */
export const notificationsQuery = queryOptions({
  queryKey: ['notifications'],
  queryFn: ({ signal }) => request(notificationsSchema, '/notifications', { signal }),
  refetchInterval: 5_000,
});

export function putNotification(name: string, entry: NotificationPut) {
  return request(notificationStatusSchema, pathOf(name), { method: 'PUT', body: entry });
}

export function deleteNotification(name: string) {
  return send(pathOf(name), { method: 'DELETE' });
}

/** Sends a test message; rejects with the reason when it is not delivered. */
export function testNotification(name: string): Promise<NotificationTest> {
  return request(notificationTestSchema, `${pathOf(name)}/test`, { method: 'POST' });
}

function pathOf(name: string): string {
  return `/notifications/${encodeURIComponent(name)}`;
}
