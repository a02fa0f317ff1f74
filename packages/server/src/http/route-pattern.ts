import type { Request } from 'express';

/** Common start of the API's paths. */
export const API = '/api/v1';

/** The pattern of the route that handled a request, such as `/api/v1/incidents/:id`; undefined if there was none. */
export function routePattern(request: Request): string | undefined {
  const { route, originalUrl } = request as { route?: { path?: unknown }; originalUrl: string };
  const base = originalUrl.startsWith(`${API}/`) ? API : '';
  return typeof route?.path === 'string' ? base + route.path : undefined;
}
