import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Response } from 'express';
import { HttpProblem } from '../http/problem.ts';
import type { Auth } from './auth.ts';

export interface LoginPageState {
  /** The path to return to after the login. */
  readonly to: string;
  /** An error message. */
  readonly alert?: string;
  /** Whether the error is about the token. */
  readonly isTokenInvalid?: boolean;
  readonly status?: number;
}

/** The login page, rendered from the dashboard's template `login.html`. It needs no script. */
export class LoginPage {
  readonly #directory: string;
  readonly #auth: Auth;
  #template: string | undefined;

  /** @param directory of the built dashboard */
  constructor(directory: string, auth: Auth) {
    this.#directory = directory;
    this.#auth = auth;
  }

  send(response: Response, { to, alert = '', isTokenInvalid = false, status = 401 }: LoginPageState): void {
    const { access, oidc } = this.#auth;
    const hasOidc = access.methods.includes('oidc');
    const hasToken = access.methods.includes('token');
    const html = render((this.#template ??= this.#read()), {
      sections: { alert: alert !== '', oidc: hasOidc, both: hasOidc && hasToken, token: hasToken },
      values: {
        alert,
        to: encodeURIComponent(to),
        provider: oidc?.options.name ?? '',
        isInvalid: String(isTokenInvalid),
        describedBy: isTokenInvalid ? 'alert' : '',
      },
    });
    response.status(status).set('cache-control', 'no-store').type('html').send(html);
  }

  /** @throws HttpProblem 503 when the dashboard is not built */
  #read(): string {
    const path = join(this.#directory, 'login.html');
    if (!existsSync(path)) throw new HttpProblem(503, 'The dashboard is not built: run `npm run build`');
    return readFileSync(path, 'utf8');
  }
}

interface TemplateData {
  /** Whether `<!-- if name -->…<!-- end name -->` is kept. */
  readonly sections: Readonly<Record<string, boolean>>;
  /** The text of `{{name}}`. */
  readonly values: Readonly<Record<string, string>>;
}

function render(template: string, { sections, values }: TemplateData): string {
  return template
    .replace(/<!-- if (\w+) -->(.*?)<!-- end \1 -->/gs, (_, name: string, section: string) =>
      sections[name] === true ? section : '',
    )
    .replace(/\{\{(\w+)\}\}/g, (_, name: string) => escapeHtml(values[name] ?? ''));
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? '');
}

/** A path of this server to return to; anything else becomes `/`. */
export function localPath(to: unknown): string {
  return typeof to === 'string' && /^\/(?![/\\])[^\\\s]*$/.test(to) ? to : '/';
}
