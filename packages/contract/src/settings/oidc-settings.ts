import * as z from 'zod';

/** Login to the server with an OpenID Connect provider, and the roles of its users. */

const text = z.string().min(1).optional();
const values = z.array(z.string().min(1)).default([]);

const localUrl = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(\/|$)/i;

export const oidcSettingsSchema = z
  .strictObject({
    issuer: z.url({ protocol: /^https?$/ }).optional(),
    client_id: text,
    client_secret: text,
    client_secret_file: text,
    name: z.string().min(1).max(60).default('single sign-on'),
    scope: z.string().min(1).default('openid profile email'),
    role_claim: z.string().min(1).default('groups'),
    operators: values,
    viewers: values,
    default_role: z.enum(['none', 'viewer', 'operator']).default('none'),
    public_url: z.url({ protocol: /^https?$/ }).optional(),
  })
  .superRefine((oidc, context) => {
    const reject = (path: keyof typeof oidc, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (oidc.issuer === undefined) {
      for (const key of ['client_id', 'client_secret', 'client_secret_file'] as const) {
        if (oidc[key] !== undefined)
          reject(key, 'has no effect without issuer: set the issuer URL of the provider');
      }
      return;
    }
    if (oidc.issuer.startsWith('http:') && !localUrl.test(oidc.issuer)) {
      reject(
        'issuer',
        'must use https unless it is on this machine: otherwise an eavesdropper could log in as any user',
      );
    }
    if (oidc.client_id === undefined) reject('client_id', 'is required with issuer');
    if ((oidc.client_secret === undefined) === (oidc.client_secret_file === undefined)) {
      reject('client_secret', 'or client_secret_file is required with issuer: set one of them');
    }
    if (!oidc.scope.split(' ').includes('openid')) reject('scope', 'must contain openid');
    if (oidc.operators.length + oidc.viewers.length === 0 && oidc.default_role === 'none') {
      reject(
        'operators',
        'or viewers or default_role is required with issuer: without them, no user has a role',
      );
    }
  });
