import type { RequestHandler } from 'express';

/** Removes the `~` that the contract's `toSegment` puts before the ids `.` and `..` of sessions. */
export const dotSegments: RequestHandler = (request, _response, next) => {
  request.url = request.url.replace(/^(\/sessions\/)(?:~|%7e)(?=(?:~|%7e)*(?:\.|%2e){1,2}(?:[/?]|$))/i, '$1');
  next();
};
