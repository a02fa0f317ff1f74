import { z } from 'zod';

/** `/auth`: who is asking. Pages use the session cookie that a login leaves; programs send `Authorization: Bearer`. */

export const roles = ['viewer', 'operator'] as const;
export type Role = (typeof roles)[number];

/**
 * The header, percent-encoded, that says which of the people that share a login sends a request. It proves nothing, and
 * does not count where a provider of logins says who people are.
 */
export const userHeader = 'loopwatch-user';
export const userNameSchema = z.string().trim().min(1).max(200);

/** `GET /auth/me`; answers without a login, too. */
export const meSchema = z.object({
  required: z.boolean().describe('false: no login is configured, everybody is an operator.'),
  user: z
    .object({ name: z.string(), role: z.enum(roles) })
    .nullable()
    .describe('null: not logged in.'),
  shared: z
    .boolean()
    .default(false)
    .describe('true: no login names one person, so the header `loopwatch-user` does.'),
  exposed: z
    .boolean()
    .default(false)
    .describe('true: no login is configured, and other machines can reach the server.'),
  methods: z.array(z.enum(['token', 'oidc'])).describe('How one can log in.'),
});

/** Body of `POST /auth/login`; `POST /auth/logout` takes none. */
export const loginSchema = z.strictObject({ token: z.string().min(1).max(4096) });

/** Answer of `POST /auth/logout` where the provider of logins can end its own login, too; 204 elsewhere. */
export const logoutSchema = z.object({
  goOn: z.url().describe('Where to send the browser, which comes back from there.'),
});

export type Logout = z.infer<typeof logoutSchema>;
export type Me = z.infer<typeof meSchema>;
export type Login = z.infer<typeof loginSchema>;
