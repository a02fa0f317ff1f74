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

/**
 * Explains how to fix a port that is in use; returns any other error unchanged.
 *
 * @param flag the option that chooses another port
 */
export function listenFailure(error: unknown, port: number, flag = '--port'): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') return error;
  return new UsageError(
    `Port ${String(port)} is in use. Stop the process that uses it, or choose another port with ${flag}.`,
  );
}
