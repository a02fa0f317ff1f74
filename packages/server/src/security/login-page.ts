import type { Me } from '@loopwatch/contract/api';
import type { Response } from 'express';

/** The product's mark: three steps on a ring. */
const mark = `<svg width="22" height="22" viewBox="0 0 22 22" aria-hidden="true" stroke-width="1.8">
<circle class="track" cx="11" cy="11" r="7.5" />
<circle cx="11" cy="3.5" r="2.5" /><circle cx="17.5" cy="14.75" r="2.5" /><circle cx="4.5" cy="14.75" r="2.5" />
</svg>`;

export interface LoginPage {
  /** A path to go on to. */
  readonly to: string;
  readonly methods: Me['methods'];
  /** What the provider of logins is called. */
  readonly provider: string | undefined;
  /** What went wrong. */
  readonly alert?: string;
  /** Whether it was the token. */
  readonly wrongToken?: boolean;
  readonly status?: number;
}

/** The page to log in by; without script, so that it works before anything else is let through. */
export function sendLoginPage(response: Response, page: LoginPage): void {
  const { to, methods, provider = '', alert, wrongToken = false, status = 401 } = page;
  const goOn = encodeURIComponent(to);
  const parts = [
    ...(alert === undefined ? [] : [`<p role="alert" id="alert">${escaped(alert)}</p>`]),
    ...(methods.includes('oidc')
      ? [`<a class="button" href="/login/oidc?to=${goOn}">Log in with ${escaped(provider)}</a>`]
      : []),
    ...(methods.length > 1 ? ['<p class="or">or</p>'] : []),
    ...(methods.includes('token') ? [tokenForm(goOn, wrongToken)] : []),
  ];
  response
    .status(status)
    .set('cache-control', 'no-store')
    .type('html')
    .send(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Log in to Loopwatch</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/login.css">
<main>
<p class="brand">${mark} Loopwatch</p>
<h1>Log in</h1>
${parts.join('\n')}
</main>
</html>
`);
}

function tokenForm(goOn: string, isWrong: boolean): string {
  const wrong = isWrong ? ' aria-invalid="true" aria-describedby="alert"' : '';
  return `<form method="post" action="/login?to=${goOn}">
<label for="token">Token</label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus${wrong}>
<button>Log in</button>
</form>
<p class="help">Ask your administrator for one: operators can change things, viewers can only read.</p>`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? '');
}

/** A path of this server to go on to; anything else leads home. */
export function localPath(to: unknown): string {
  return typeof to === 'string' && /^\/(?![/\\])[^\\\s]*$/.test(to) ? to : '/';
}
