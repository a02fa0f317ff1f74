import type { Settings } from '@loopwatch/contract';
import { probePostgres } from '@loopwatch/storage';
import type { Diagnosis } from './diagnosis.ts';

const TIMEOUT_MS = 10_000;

/** Checks PostgreSQL and the OpenID Connect provider, if configured. */
export async function checkServerNeeds({ storage, server }: Settings): Promise<Diagnosis[]> {
  const found: Diagnosis[] = [];
  if (storage.database_url !== undefined) found.push(await checkPostgres(storage.database_url));
  if (server.oidc.issuer !== undefined) found.push(await checkLogins(server.oidc.issuer));
  return found;
}

async function checkPostgres(url: string): Promise<Diagnosis> {
  try {
    return { ok: true, what: `PostgreSQL ${await probePostgres(url)} is usable` };
  } catch (error) {
    return { ok: false, what: 'PostgreSQL', advice: `${textOf(error)}. Check DATABASE_URL.` };
  }
}

async function checkLogins(issuer: string): Promise<Diagnosis> {
  const what = `OpenID Connect provider ${issuer}`;
  const address = `${issuer.replace(/(?<!\/)\/+$/, '')}/.well-known/openid-configuration`;
  const fail = (why: string): Diagnosis => ({ ok: false, what, advice: `${why} Check server.oidc.issuer.` });
  try {
    // Logins do not follow redirects either.
    const response = await fetch(address, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) return fail(`${address} answers with ${String(response.status)}.`);
    const { issuer: own } = (await response.json()) as { issuer?: unknown };
    if (own !== issuer) return fail(`Its issuer is ${String(own)}: the setting must match exactly.`);
    return { ok: true, what: `${what} answers` };
  } catch (error) {
    return fail(`${address} cannot be read: ${textOf(error)}.`);
  }
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  return cause instanceof Error && !message.includes(cause.message)
    ? `${message} (${cause.message})`
    : message;
}
