import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { BlockList, isIP } from 'node:net';
import { isLoopback } from '@loopwatch/platform';
import type { buildConnector } from 'undici';
import { UpstreamError } from './upstream-error.ts';

/** The proxy that the environment names for an address, as for other programs: `HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`. */
export function proxyFor(address: URL, env: NodeJS.ProcessEnv): URL | undefined {
  const valueOf = (name: string) => env[name] || env[name.toUpperCase()] || '';
  const value = valueOf(`${address.protocol.slice(0, -1)}_proxy`) || valueOf('all_proxy');
  const text = value.includes('://') ? value : `http://${value}`;
  if (value === '' || !URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) return undefined;
  const isExcluded = valueOf('no_proxy')
    .split(/[\s,]+/)
    .some((entry) => excludes(entry.toLowerCase(), address));
  return isExcluded || isLoopback(address.hostname) ? undefined : new URL(text);
}

/** @param entry of `NO_PROXY`: `*`, a host, the end of its name, an address range, each with a port or without one */
function excludes(entry: string, { hostname, port, protocol }: URL): boolean {
  if (entry === '*') return true;
  const [, ip = '', bits] = /^([\da-f.:]+)\/(\d+)$/.exec(entry) ?? [];
  if (bits !== undefined) return isWithin(hostname.replace(/^\[|\]$/g, ''), ip, Number(bits));
  const [, name = entry, entryPort] = /^(.+):(\d+)$/.exec(entry) ?? [];
  const domain = name.replace(/^\*?\./, '');
  const isPort = entryPort === undefined || entryPort === (port || (protocol === 'https:' ? '443' : '80'));
  return domain !== '' && isPort && (hostname === domain || hostname.endsWith(`.${domain}`));
}

function isWithin(host: string, ip: string, bits: number): boolean {
  const [family, of] = [isIP(host), isIP(ip)].map((each) => (each === 6 ? 'ipv6' : 'ipv4'));
  if (isIP(host) === 0 || isIP(ip) === 0 || family !== of || bits > (of === 'ipv6' ? 128 : 32)) return false;
  const range = new BlockList();
  range.addSubnet(ip, bits, of);
  return range.check(host, family);
}

/** Connects to the upstream by a tunnel through a proxy. @param connect what is behind the tunnel */
export function throughProxy(
  proxy: URL,
  { host, port, protocol }: URL,
  timeoutMs: number,
  connect: buildConnector.connector,
): buildConnector.connector {
  const isSecure = protocol === 'https:';
  const target = port === '' ? `${host}:${isSecure ? '443' : '80'}` : host;
  const login = [proxy.username, proxy.password].map(decodeURIComponent).join(':');
  const basic = `Basic ${Buffer.from(login).toString('base64')}`;
  const headers = { host: target, ...(login !== ':' && { 'proxy-authorization': basic }) };
  return (options, callback) => {
    const fail = (why: string, cause?: Error): void => {
      const message = `The proxy ${proxy.host} ${why}. Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY.`;
      callback(new UpstreamError('unreachable', message, cause), null);
    };
    const request = (proxy.protocol === 'https:' ? httpsRequest : httpRequest)(proxy, {
      method: 'CONNECT',
      path: target,
      headers,
      agent: false,
      signal: AbortSignal.timeout(timeoutMs),
    });
    request.once('error', (error: NodeJS.ErrnoException) => {
      fail(`is unreachable (${error.code ?? error.name})`, error);
    });
    request.once('response', ({ statusCode }) => {
      request.destroy();
      fail(`does not connect to ${target}: status ${String(statusCode)}`);
    });
    request.once('connect', ({ statusCode }, socket) => {
      if (statusCode !== 200) {
        socket.destroy();
        fail(`does not connect to ${target}: status ${String(statusCode)}`);
      } else if (isSecure) connect({ ...options, httpSocket: socket }, callback);
      else callback(null, socket);
    });
    request.end();
  };
}
