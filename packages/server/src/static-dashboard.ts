import { existsSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import express, { type RequestHandler, Router } from 'express';
import expressStaticGzip from 'express-static-gzip';
import { isNavigation } from './http/navigation.ts';

/** The pages of the dashboard, a single-page application. */
export const pages = [
  '/',
  '/incidents',
  '/incidents/:id',
  '/sessions',
  '/sessions/:id',
  '/tuning',
  '/settings',
  '/settings/tokens',
  '/settings/audit',
  '/status',
  '/breakdown',
  '/compare',
  '/report',
  '/notifications',
  '/connect',
];

const notBuilt = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Loopwatch: the dashboard is not built</title>
<h1>The dashboard is not built</h1>
<p>Run <code>npm run build</code> in the repository and reload this page.</p>
<p>The API works without it: <a href="/api/v1/incidents">incidents</a>,
<a href="/api/v1/openapi.json">its description</a>, <a href="/metrics">metrics</a>.</p>
</html>
`;

/** Headers of security/headers.ts that browsers obey only in documents and workers. */
const documentHeaders = [
  'content-security-policy',
  'cross-origin-opener-policy',
  'origin-agent-cluster',
  'referrer-policy',
  'x-dns-prefetch-control',
  'x-download-options',
  'x-frame-options',
  'x-permitted-cross-domain-policies',
  'x-xss-protection',
];

/** Removes them from scripts, styles and fonts, of which a first visit loads many. */
function removeDocumentHeaders(response: ServerResponse, path: string): void {
  if (!/\.(?:js|css|woff2)(?:\.br|\.gz)?$/.test(path) || path.includes('.worker-')) return;
  for (const name of documentHeaders) response.removeHeader(name);
}

/** Serves the built dashboard. Files with a hash in their name are cached for good. */
export function staticDashboard(directory: string): Router {
  const router = Router();
  const assets = join(directory, 'assets');
  const forGood = { immutable: true, maxAge: '1y', setHeaders: removeDocumentHeaders };
  // The build has precompressed these files; any other file is compressed on the fly.
  if (existsSync(assets)) {
    router.use(
      '/assets',
      expressStaticGzip(assets, {
        enableBrotli: true,
        orderPreference: ['br', 'gz'],
        index: false,
        serveStatic: forGood,
      }),
    );
  }
  router.use('/assets', express.static(assets, { ...forGood, index: false }));
  router.use(
    express.static(directory, {
      index: false,
      setHeaders: (response, path) => {
        response.setHeader('cache-control', 'no-cache');
        removeDocumentHeaders(response, path);
      },
    }),
  );
  const page: RequestHandler = (_request, response, next) => {
    response.set('cache-control', 'no-cache');
    if (!existsSync(join(directory, 'index.html'))) {
      response.status(503).type('html').send(notBuilt);
      return;
    }
    response.sendFile('index.html', { root: directory, cacheControl: false }, (error: unknown) => {
      if (error !== undefined) next(error);
    });
  };
  router.get(pages, page);
  // The dashboard shows its own "not found".
  router.use((request, response, next) => {
    if (!isNavigation(request)) {
      next();
      return;
    }
    response.status(404);
    void page(request, response, next);
  });
  return router;
}
