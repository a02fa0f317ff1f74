import compression from 'compression';
import type { RequestHandler } from 'express';

/** Smaller answers gain nothing. */
const threshold = 1024;

/** Compresses what is text. Streams of events are left alone: a compressor would hold them back. */
export function compress(): RequestHandler {
  return compression({
    threshold,
    filter: (request, response) => {
      const type = response.getHeader('content-type');
      return !String(type).startsWith('text/event-stream') && compression.filter(request, response);
    },
  });
}
