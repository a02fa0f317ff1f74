import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { healthRoutes, type Metrics, type Readiness } from '@loopwatch/server/health';
import express from 'express';
import { UsageError } from '../errors.ts';
import type { Running } from './lifecycle.ts';

/** The health and metrics port of a process without a dashboard. */
export async function listenForHealth(
  { host, port }: { readonly host: string; readonly port: number },
  readiness: () => Promise<Readiness>,
  metrics: Metrics,
): Promise<Running & { readonly port: number }> {
  const app = express();
  app.disable('x-powered-by');
  app.use(healthRoutes(readiness, metrics));
  app.use((_request, response) => {
    response
      .status(404)
      .type('text')
      .send(
        'This port has /healthz, /readyz and /metrics. The dashboard and the API are on the port of the server (4600).\n',
      );
  });
  const http = createServer(app);
  await new Promise<void>((resolve, reject) => {
    http.once('error', (error: NodeJS.ErrnoException) => {
      reject(listenFailure(error, port));
    });
    http.listen(port, host, resolve);
  });
  return {
    port: (http.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        http.close(() => {
          resolve();
        });
        http.closeAllConnections();
      }),
  };
}

interface ListenError extends NodeJS.ErrnoException {
  readonly address?: string;
  readonly hostname?: string;
}

/**
 * Explains how to fix a port or an address that cannot be used; returns any other error unchanged.
 *
 * @param flag the option that chooses another port
 */
export function listenFailure(error: unknown, port: number, flag = '--port'): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  const { code, syscall, address, hostname } = error as ListenError;
  if (syscall === 'getaddrinfo' && hostname !== undefined)
    return new UsageError(
      `The host ${hostname} has no address here (${String(code)}). Correct it in the configuration.`,
    );
  if (syscall !== 'listen') return error;
  if (code === 'EADDRINUSE')
    return new UsageError(
      `Port ${String(port)} is in use. Stop the process that uses it, or choose another port with ${flag}.`,
    );
  if (code === 'EACCES')
    return new UsageError(
      `This user may not listen on port ${String(port)}. Choose another port with ${flag}.`,
    );
  return new UsageError(
    `Cannot listen on ${String(address)}, port ${String(port)}: ${String(code)}. Correct the host in the configuration.`,
  );
}
