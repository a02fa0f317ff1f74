import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import proxyAddr from 'proxy-addr';
import { HttpProblem } from '../http/problem.ts';

/** Where the server is reached, by its configuration. */
export interface WebOptions {
  /** The address that the server listens on. */
  readonly host: string;
  /** URL of the dashboard as browsers know it. */
  readonly publicUrl?: string | undefined;
  /** Further host names of the server; `.acme.example` matches all its subdomains, `*` every name. */
  readonly allowedHosts?: readonly string[];
  /** Proxies whose headers are trusted, in the form of Express's `trust proxy`. */
  readonly trustProxy?: readonly string[];
}

/** Addresses and hosts of requests and sockets, also behind a proxy. */
export class Hosts {
  /** In the form of Express's `trust proxy`. */
  readonly isTrustedProxy: (address: string, hop: number) => boolean;
  readonly #options: WebOptions;
  readonly #names: ReadonlySet<string>;
  readonly #suffixes: readonly string[];

  constructor(options: WebOptions) {
    const { host, publicUrl, allowedHosts = [], trustProxy = [] } = options;
    this.#options = options;
    this.isTrustedProxy = trustOf(trustProxy);
    const own = publicUrl === undefined ? [] : [new URL(publicUrl).hostname];
    const names = [host, ...own, ...allowedHosts].map((name) => name.toLowerCase());
    this.#names = new Set(names);
    this.#suffixes = names.filter((name) => name.startsWith('.'));
  }

  /** The client's address. */
  addressOf(request: IncomingMessage): string {
    return proxyAddr(request, this.isTrustedProxy);
  }

  /** The host that the client has requested, with its port. */
  hostOf(request: IncomingMessage): string | undefined {
    return this.#forwarded(request, 'x-forwarded-host') ?? request.headers.host;
  }

  /** Whether the client uses https. An untrusted proxy is believed as well: that only makes the cookie stricter. */
  isSecure(request: IncomingMessage): boolean {
    if (request.headers['x-forwarded-proto'] === 'https') return true;
    const { publicUrl } = this.#options;
    if (publicUrl === undefined) return false;
    const { protocol, host } = new URL(publicUrl);
    return protocol === 'https:' && host === this.hostOf(request);
  }

  /** URL of the dashboard as the browser knows it. */
  urlOf(request: IncomingMessage): string {
    const { publicUrl } = this.#options;
    if (publicUrl !== undefined) return publicUrl.replace(/(?<!\/)\/+$/, '');
    return `${this.isSecure(request) ? 'https' : 'http'}://${this.hostOf(request) ?? 'localhost'}`;
  }

  /** Whether the requested host is a name of this server, and not a foreign name that resolves to it (DNS rebinding). */
  isKnownHost(request: IncomingMessage): boolean {
    const host = this.hostOf(request)?.replace(/:\d+$/, '').toLowerCase();
    if (host === undefined || isAddress(host) || this.#names.has(host) || this.#names.has('*')) return true;
    return this.#suffixes.some((suffix) => host.endsWith(suffix) || host === suffix.slice(1));
  }

  /**
   * Whether a request comes from the dashboard's own origin, or not from a browser page. Hosts are compared, not schemes:
   * a proxy may terminate TLS.
   */
  isSameOrigin(request: IncomingMessage): boolean {
    const { origin } = request.headers;
    if (origin === undefined) return true;
    if (!URL.canParse(origin)) return false;
    const { host } = new URL(origin);
    const { publicUrl } = this.#options;
    return (
      host === this.hostOf(request)?.toLowerCase() ||
      (publicUrl !== undefined && host === new URL(publicUrl).host)
    );
  }

  #forwarded(request: IncomingMessage, name: string): string | undefined {
    const value = request.headers[name];
    if (typeof value !== 'string' || !this.isTrustedProxy(request.socket.remoteAddress ?? '', 0))
      return undefined;
    return value.split(',')[0]?.trim();
  }
}

/** Whether a host is local or an IP address: no other site can have such a name. */
function isAddress(host: string): boolean {
  return /^(?:localhost|.+\.localhost|\d+(?:\.\d+){3}|\[[0-9a-f:.]+\])$/i.test(host);
}

function trustOf(proxies: readonly string[]): (address: string, hop: number) => boolean {
  const [first, ...others] = proxies;
  if (first === undefined) return () => false;
  if (others.length === 0 && /^\d+$/.test(first)) return (_address, hop) => hop < Number(first);
  return proxyAddr.compile([...proxies]);
}

/** Protects against DNS rebinding: a foreign host name that resolves to this server would make its pages same-origin. */
export function requireKnownHost(hosts: Hosts): RequestHandler {
  return (request, _response, next) => {
    if (!hosts.isKnownHost(request)) {
      throw new HttpProblem(
        421,
        `Unknown host ${hosts.hostOf(request) ?? ''}. Add the name to server.allowed_hosts, or set server.public_url`,
      );
    }
    next();
  };
}
