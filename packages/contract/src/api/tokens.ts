import { z } from 'zod';
import { roles } from './auth.ts';

/* `/tokens`: tokens that operators create, each with a name and a role. */

/** What every created token starts with; 64 hexadecimal digits follow. */
export const TOKEN_PREFIX = 'lw_';

export const apiTokenSchema = z.object({
  id: z.string(),
  name: z.string().describe('The name that changes made with this token are recorded under.'),
  role: z.enum(roles),
  createdAt: z.number().describe('Wall clock, epoch ms.'),
  createdBy: z.string(),
  expiresAt: z
    .number()
    .nullable()
    .describe('The token is refused from this time on, wall clock, epoch ms; null: it never expires.'),
  lastUsedAt: z
    .number()
    .nullable()
    .describe('When it was last used, to the minute, wall clock, epoch ms; null: never.'),
});
export type ApiToken = z.infer<typeof apiTokenSchema>;

/** `GET /tokens`. */
export const apiTokensSchema = z.object({
  items: z.array(apiTokenSchema).describe('Newest first, with the expired ones, which may be revoked too.'),
});

/** Body of `POST /tokens`. */
export const apiTokenPostSchema = z.strictObject({
  name: z.string().trim().min(1).max(100).describe('Who or what uses the token; no other token has it.'),
  role: z.enum(roles),
  expiresAt: z
    .number()
    .nullable()
    .optional()
    .describe('When it expires, wall clock, epoch ms; absent or null: never.'),
});
export type ApiTokenPost = z.infer<typeof apiTokenPostSchema>;

export const createdApiTokenSchema = apiTokenSchema.extend({
  token: z.string().describe('The token: only this response contains it.'),
});
export type CreatedApiToken = z.infer<typeof createdApiTokenSchema>;
