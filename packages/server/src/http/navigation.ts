import type { Request } from 'express';

/** What is read by programs and by pages, never looked at as a page itself. */
const notPages = /^\/(api|assets)\/|^\/metrics\/?$/i;

/** Whether a user opens an address in a browser: they are shown a page, also where there is nothing. */
export function isNavigation(request: Request): boolean {
  return (
    (request.method === 'GET' || request.method === 'HEAD') &&
    !notPages.test(request.path) &&
    request.accepts(['json', 'html']) === 'html'
  );
}
