import compression from 'compression';
import type { RequestHandler } from 'express';

/** Bytes; smaller responses gain nothing. */
const THRESHOLD = 1024;

/** Compresses text. Server-sent events are excluded: a compressor would delay them. */
export function compress(): RequestHandler {
  return compression({
    threshold: THRESHOLD,
    filter: (request, response) => {
      const type = response.getHeader('content-type');
      return !String(type).startsWith('text/event-stream') && compression.filter(request, response);
    },
  });
}
