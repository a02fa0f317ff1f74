import * as z from 'zod';
import { MAX_TIME } from '../events/event.ts';
import { roles } from './auth.ts';
import { pageSchema } from './paging.ts';

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

/** Names are shown in tables, in the audit log and on terminals. */
function isOneLine(text: string): boolean {
  return !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text);
}

/** Body of `POST /tokens`. */
export const apiTokenPostSchema = z.strictObject({
  name: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .refine(isOneLine, 'must not contain line breaks or other control characters')
    .describe('Who or what uses the token; no other token has it.'),
  role: z.enum(roles),
  expiresAt: z
    .number()
    .max(MAX_TIME)
    .nullable()
    .optional()
    .describe('When it expires, wall clock, epoch ms; absent or null: never.'),
});
export type ApiTokenPost = z.infer<typeof apiTokenPostSchema>;

export const createdApiTokenSchema = apiTokenSchema.extend({
  token: z.string().describe('The token: only this response contains it.'),
});
export type CreatedApiToken = z.infer<typeof createdApiTokenSchema>;

/* `/audit`: who changed what. */

/** What is recorded. */
export const auditActions = [
  'settings.changed',
  'session.stopped',
  'session.resumed',
  'session.erased',
  'samples.removed',
  'notification.changed',
  'notification.deleted',
  'token.created',
  'token.revoked',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** Entries are deleted after this many days. */
export const AUDIT_DAYS = 400;

export const auditEntrySchema = z.object({
  id: z.string(),
  at: z.number().describe('Wall clock, epoch ms.'),
  actor: z
    .string()
    .describe(
      'The name of the login; with a shared login, the name that its user gave, which is not verified.',
    ),
  role: z.enum(roles),
  address: z.string().nullable().describe('The address that the request came from.'),
  action: z.enum(auditActions),
  subject: z.string().describe('What was changed, such as a scope of settings or a session.'),
  detail: z.record(z.string(), z.unknown()).describe('What changed, by action; never a secret.'),
});
export type AuditEntry = z.infer<typeof auditEntrySchema>;

export const auditPageSchema = pageSchema(auditEntrySchema);
export type AuditPage = z.infer<typeof auditPageSchema>;

const texts = z.array(z.string().max(1024)).max(50);

export const auditFilterSchema = z
  .strictObject({
    action: z.array(z.enum(auditActions)),
    actor: texts,
    subject: texts,
    from: z.number().describe('At or after this time: epoch ms or RFC 3339.'),
    to: z.number().describe('Before this time.'),
  })
  .partial();
export type AuditFilter = z.infer<typeof auditFilterSchema>;

export const auditSorts = ['at'] as const;
