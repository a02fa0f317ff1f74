import type { RequestHandler } from 'express';

/** Removes the `~` that the contract's `toSegment` puts before the ids `.` and `..` of sessions, and makes an id what it is stored as. */
export const dotSegments: RequestHandler = (request, _response, next) => {
  request.url = request.url.replace(/^(\/sessions\/)(?:~|%7e)(?=(?:~|%7e)*(?:\.|%2e){1,2}(?:[/?]|$))/i, '$1');
  // Some routes compose names of it, in which nothing replaces a byte order mark.
  request.url = request.url.replace(/^(\/sessions\/)%ef%bb%bf/i, '$1%EF%BF%BD');
  next();
};
