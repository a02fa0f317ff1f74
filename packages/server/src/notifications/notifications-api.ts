import { type NotificationTest, notificationPutSchema } from '@loopwatch/contract/api';
import type { Database } from '@loopwatch/storage';
import { Router } from 'express';
import type { AuditLog } from '../audit/audit-log.ts';
import { jsonBody, parseBody } from '../http/parse-body.ts';
import { HttpProblem, methodNotAllowed } from '../http/problem.ts';
import { userName } from '../security/user.ts';
import type { Notifications } from './notifications.ts';
import { deletePageNotification, putPageNotification } from './page-notifications.ts';

export interface NotificationsApiOptions {
  readonly database: Database;
  readonly audit: Pick<AuditLog, 'record'>;
  readonly notifications: Notifications;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
}

/** `/notifications`. */
export function notificationsApi({ database, notifications, now, audit }: NotificationsApiOptions): Router {
  const router = Router();
  router
    .route('/notifications')
    .get(async (_request, response) => {
      response.json({ items: await notifications.status() });
    })
    .all(methodNotAllowed('GET'));
  router
    .route('/notifications/:name')
    .put(jsonBody(), async (request, response) => {
      const { name } = request.params;
      refuseConfigured(notifications, name);
      const who = { by: userName(request), at: now() };
      const entry = parseBody(request, notificationPutSchema);
      await putPageNotification(database, name, entry, who);
      await audit.record(request, 'notification.changed', name, { type: entry.type });
      await notifications.reload();
      response.json((await notifications.status()).find((item) => item.name === name));
    })
    .delete(async (request, response) => {
      const { name } = request.params;
      refuseConfigured(notifications, name);
      if (!(await deletePageNotification(database, name))) throw missing(name);
      await audit.record(request, 'notification.deleted', name);
      await notifications.reload();
      response.status(204).end();
    })
    .all(methodNotAllowed('PUT, DELETE'));
  router
    .route('/notifications/:name/test')
    .post(async (request, response) => {
      const { name } = request.params;
      const result = await notifications.test(name);
      if (result === undefined) throw missing(name);
      if (result.outcome !== 'sent') throw new HttpProblem(502, `Not delivered: ${result.reason}`);
      response.json({ delivered: true } satisfies NotificationTest);
    })
    .all(methodNotAllowed('POST'));
  return router;
}

function refuseConfigured(notifications: Notifications, name: string): void {
  if (notifications.isConfigured(name))
    throw new HttpProblem(
      409,
      `${name} is defined in the server's configuration: change it there, or choose another name`,
    );
}

function missing(name: string): HttpProblem {
  return new HttpProblem(404, `Receiver ${name} not found`);
}
