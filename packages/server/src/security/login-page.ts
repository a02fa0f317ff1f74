import type { Me } from '@loopwatch/contract/api';
import type { Response } from 'express';

export const loginStyle = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; }
main { width: min(22rem, 90vw); }
label, input, button, .button { display: block; width: 100%; box-sizing: border-box; font: inherit; }
input, button, .button { margin-top: .5rem; padding: .6rem .75rem; border-radius: .4rem; border: 1px solid GrayText; }
button, .button { margin-top: 1rem; cursor: pointer; text-align: center; color: inherit; text-decoration: none; }
[role=alert] { color: light-dark(#b3261e, #ff897d); }
`;

export interface LoginPage {
  /** A path to go on to. */
  readonly to: string;
  readonly methods: Me['methods'];
  /** What the provider of logins is called. */
  readonly provider: string | undefined;
  /** What went wrong. */
  readonly alert?: string;
  readonly status?: number;
}

/** The page to log in by; without script, so that it works before anything else is let through. */
export function sendLoginPage(response: Response, page: LoginPage): void {
  const { to, methods, provider = '', alert, status = 401 } = page;
  const goOn = encodeURIComponent(to);
  const parts = [
    ...(alert === undefined ? [] : [`<p role="alert">${escaped(alert)}</p>`]),
    ...(methods.includes('oidc')
      ? [`<a class="button" href="/login/oidc?to=${goOn}">Log in with ${escaped(provider)}</a>`]
      : []),
    ...(methods.includes('token') ? [tokenForm(goOn)] : []),
  ];
  response
    .status(status)
    .set('cache-control', 'no-store')
    .type('html')
    .send(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Log in to Loopwatch</title>
<link rel="stylesheet" href="/login.css">
<main>
<h1>Loopwatch</h1>
${parts.join('\n')}
</main>
</html>
`);
}

function tokenForm(goOn: string): string {
  return `<form method="post" action="/login?to=${goOn}">
<label for="token">Token</label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
<button>Log in</button>
</form>`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? '');
}

/** A path of this server to go on to; anything else leads home. */
export function ownPath(to: unknown): string {
  return typeof to === 'string' && /^\/(?![/\\])[^\\\s]*$/.test(to) ? to : '/';
}
