import type { Request } from 'express';

/** Paths that are read by programs and scripts, never opened as a page. */
const notPages = /^\/(api|assets)\/|^\/metrics\/?$/i;

/** Whether a browser opens a page: it gets HTML even for an unknown path. */
export function isNavigation(request: Request): boolean {
  return (
    (request.method === 'GET' || request.method === 'HEAD') &&
    !notPages.test(request.path) &&
    request.accepts(['json', 'html']) === 'html'
  );
}
