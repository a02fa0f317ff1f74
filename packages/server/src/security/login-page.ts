import type { Response } from 'express';

export const loginStyle = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; }
main { width: min(22rem, 90vw); }
label, input, button { display: block; width: 100%; box-sizing: border-box; font: inherit; }
input, button { margin-top: .5rem; padding: .6rem .75rem; border-radius: .4rem; border: 1px solid GrayText; }
button { margin-top: 1rem; cursor: pointer; }
[role=alert] { color: light-dark(#b3261e, #ff897d); }
`;

/** The page that asks for a token; without script, so that it works before anything else is let through. */
export function sendLoginPage(response: Response, { to, failed }: { to: string; failed: boolean }): void {
  const alert = failed ? '<p role="alert">This token is not known. Check it and try again.</p>' : '';
  response
    .status(401)
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
${alert}
<form method="post" action="/login?to=${encodeURIComponent(to)}">
<label for="token">Token</label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
<button>Log in</button>
</form>
</main>
</html>
`);
}

/** A path of this server to go on to; anything else leads home. */
export function ownPath(to: unknown): string {
  return typeof to === 'string' && /^\/(?![/\\])[^\\\s]*$/.test(to) ? to : '/';
}
