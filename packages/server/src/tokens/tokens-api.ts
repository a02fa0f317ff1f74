import { apiTokenPostSchema } from '@loopwatch/contract/api';
import { Router } from 'express';
import type { AuditLog } from '../audit/audit-log.ts';
import { jsonBody, parseBody } from '../http/parse-body.ts';
import { badRequest, HttpProblem, methodNotAllowed } from '../http/problem.ts';
import type { Auth } from '../security/auth.ts';
import { userName } from '../security/user.ts';

export interface TokensApiOptions {
  readonly auth: Pick<Auth, 'access' | 'apiTokens'>;
  readonly audit: Pick<AuditLog, 'record'>;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
}

/** `/tokens` and `/tokens/:id`. */
export function tokensApi({ auth: { access, apiTokens }, audit, now }: TokensApiOptions): Router {
  const router = Router();
  router
    .route('/tokens')
    .get(async (_request, response) => {
      response.json({ items: await apiTokens.list() });
    })
    .post(jsonBody(), async (request, response) => {
      const wanted = parseBody(request, apiTokenPostSchema);
      const { expiresAt = null } = wanted;
      // Without a login, everyone may do everything, whatever a token says.
      if (!access.isRequired)
        throw new HttpProblem(
          409,
          'This server needs no login, so tokens would protect nothing: set LOOPWATCH_API_TOKEN or server.oidc first',
        );
      if (expiresAt !== null && expiresAt <= now())
        throw badRequest({ path: 'expiresAt', detail: 'is in the past' });
      const created = await apiTokens.create(wanted, userName(request));
      if (created === undefined)
        throw new HttpProblem(
          409,
          `There is a token named ${wanted.name}; choose another name, or revoke it first`,
        );
      const { id, name, role } = created;
      await audit.record(request, 'token.created', `token:${name}`, { id, role, expiresAt });
      response.status(201).json(created);
    })
    .all(methodNotAllowed('GET, POST'));
  router
    .route('/tokens/:id')
    .delete(async (request, response) => {
      const { id } = request.params;
      const revoked = await apiTokens.revoke(id);
      if (revoked === undefined)
        throw new HttpProblem(404, `Token ${id} not found; it may have been revoked`);
      await audit.record(request, 'token.revoked', `token:${revoked.name}`, { id, role: revoked.role });
      response.status(204).end();
    })
    .all(methodNotAllowed('DELETE'));
  return router;
}
