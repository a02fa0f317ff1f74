import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import proxyAddr from 'proxy-addr';
import { HttpProblem } from '../http/problem.ts';

/** Where the server is, as the configuration says. */
export interface WebOptions {
  /** The address that is listened on. */
  readonly host: string;
  /** Of the dashboard as browsers know it. */
  readonly publicUrl?: string | undefined;
  /** Further names that it is reached by; `.acme.example` stands for all below it, `*` for all. */
  readonly allowedHosts?: readonly string[];
  /** Proxies whose headers count, as express' `trust proxy` takes them. */
  readonly trustProxy?: readonly string[];
}

/** Whether only this machine reaches a server that listens there. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|::1|\[::1\])$/i.test(host);
}

/** Who sends a request and what it is for, also where a proxy stands between, for requests and for sockets alike. */
export class Hosts {
  /** As express takes it. */
  readonly trusts: (address: string, hop: number) => boolean;
  readonly #options: WebOptions;
  readonly #names: ReadonlySet<string>;
  readonly #suffixes: readonly string[];

  constructor(options: WebOptions) {
    const { host, publicUrl, allowedHosts = [], trustProxy = [] } = options;
    this.#options = options;
    this.trusts = trustOf(trustProxy);
    const own = publicUrl === undefined ? [] : [new URL(publicUrl).hostname];
    const names = [host, ...own, ...allowedHosts].map((name) => name.toLowerCase());
    this.#names = new Set(names);
    this.#suffixes = names.filter((name) => name.startsWith('.'));
  }

  /** The client's address. */
  addressOf(request: IncomingMessage): string {
    return proxyAddr(request, this.trusts);
  }

  /** What the client has asked for, with its port. */
  hostOf(request: IncomingMessage): string | undefined {
    return this.#forwarded(request, 'x-forwarded-host') ?? request.headers.host;
  }

  /** Whether the client has come by https. The cookie is kept to https also where a proxy not trusted says so. */
  isSecure(request: IncomingMessage): boolean {
    if (request.headers['x-forwarded-proto'] === 'https') return true;
    const { publicUrl } = this.#options;
    if (publicUrl === undefined) return false;
    const { protocol, host } = new URL(publicUrl);
    return protocol === 'https:' && host === this.hostOf(request);
  }

  /** Address of the dashboard as the browser knows it. */
  urlOf(request: IncomingMessage): string {
    const { publicUrl } = this.#options;
    if (publicUrl !== undefined) return publicUrl.replace(/(?<!\/)\/+$/, '');
    return `${this.isSecure(request) ? 'https' : 'http'}://${this.hostOf(request) ?? 'localhost'}`;
  }

  /** Whether a request is for this server, and not for a name of another site that points here. */
  isKnownHost(request: IncomingMessage): boolean {
    const host = this.hostOf(request)?.replace(/:\d+$/, '').toLowerCase();
    if (host === undefined || isAddress(host) || this.#names.has(host) || this.#names.has('*')) return true;
    return this.#suffixes.some((suffix) => host.endsWith(suffix) || host === suffix.slice(1));
  }

  /**
   * Whether a request comes from the dashboard's own origin, or from no browser page at all. Pages of other origins
   * may neither listen to `/live` nor send events. The host is compared, not the scheme: a proxy may end TLS.
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
    if (typeof value !== 'string' || !this.trusts(request.socket.remoteAddress ?? '', 0)) return undefined;
    return value.split(',')[0]?.trim();
  }
}

/** Names and addresses that no other site can have. */
function isAddress(host: string): boolean {
  return /^(?:localhost|.+\.localhost|\d+(?:\.\d+){3}|\[[0-9a-f:.]+\])$/i.test(host);
}

function trustOf(proxies: readonly string[]): (address: string, hop: number) => boolean {
  const [first, ...others] = proxies;
  if (first === undefined) return () => false;
  if (others.length === 0 && /^\d+$/.test(first)) return (_address, hop) => hop < Number(first);
  return proxyAddr.compile([...proxies]);
}

/** By a name of its own that points here, a page of another site could read and change what it likes. */
export function requireKnownHost(hosts: Hosts): RequestHandler {
  return (request, _response, next) => {
    if (!hosts.isKnownHost(request)) {
      throw new HttpProblem(
        421,
        `This server is not known as ${hosts.hostOf(request) ?? ''}. Add the name to server.allowed_hosts, or set server.public_url`,
      );
    }
    next();
  };
}
