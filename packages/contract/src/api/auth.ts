import { z } from 'zod';
import { pageSchema } from './paging.ts';

/* `/auth`. Pages authenticate with a session cookie, programs with `Authorization: Bearer`. */

/** `producer`: may post events, traces, hooks and questions, and follow the verdicts on a session; may read and change nothing else. */
export const roles = ['producer', 'viewer', 'operator'] as const;
export type Role = (typeof roles)[number];

/**
 * Header with the name of the user, percent-encoded, for users who share a login. It is not authenticated, and ignored if
 * an identity provider names the user.
 */
export const userHeader = 'loopwatch-user';
export const userNameSchema = z.string().trim().min(1).max(200);

/** `GET /auth/me`; needs no login. */
export const meSchema = z.object({
  required: z.boolean().describe('false: no login is configured, every client has the operator role.'),
  user: z
    .object({ name: z.string(), role: z.enum(roles) })
    .nullable()
    .describe('null: not logged in.'),
  shared: z
    .boolean()
    .default(false)
    .describe('true: the login does not identify one person; the header `loopwatch-user` does.'),
  exposed: z
    .boolean()
    .default(false)
    .describe('true: no login is configured, although other machines can reach the server.'),
  methods: z.array(z.enum(['token', 'oidc'])).describe('Available login methods.'),
});

/** Body of `POST /auth/login`; `POST /auth/logout` takes none. */
export const loginSchema = z.strictObject({ token: z.string().min(1).max(4096) });

/** Response of `POST /auth/logout` if the identity provider supports logout; otherwise 204. */
export const logoutSchema = z.object({
  redirectUrl: z
    .url()
    .describe('URL of the provider that ends its session and redirects back to the dashboard.'),
});

export type Logout = z.infer<typeof logoutSchema>;
export type Me = z.infer<typeof meSchema>;
export type Login = z.infer<typeof loginSchema>;

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
