import * as z from 'zod';

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
