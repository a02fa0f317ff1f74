import type { NotificationTest } from '@loopwatch/contract/api';
import { Router } from 'express';
import { HttpProblem, methodNotAllowed } from '../http/problem.ts';
import type { Notifications } from './notifications.ts';

export interface NotificationsApiOptions {
  readonly notifications: Pick<Notifications, 'status' | 'test'>;
}

/** `/notifications`. */
export function notificationsApi({ notifications }: NotificationsApiOptions): Router {
  const router = Router();
  router
    .route('/notifications')
    .get(async (_request, response) => {
      response.json({ items: await notifications.status() });
    })
    .all(methodNotAllowed('GET'));
  router
    .route('/notifications/:name/test')
    .post(async (request, response) => {
      const { name } = request.params;
      const result = await notifications.test(name);
      if (result === undefined) throw new HttpProblem(404, `There is no notification named ${name}`);
      if (result.outcome !== 'sent') throw new HttpProblem(502, `Not delivered: ${result.reason}`);
      response.json({ delivered: true } satisfies NotificationTest);
    })
    .all(methodNotAllowed('POST'));
  return router;
}
