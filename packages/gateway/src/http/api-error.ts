/** Supported APIs; `other` is passed through. */
export type ApiKind = 'chat' | 'responses' | 'messages' | 'gemini' | 'other';

const anthropicTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  413: 'request_too_large',
  504: 'timeout_error',
};

const googleStatuses: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  413: 'INVALID_ARGUMENT',
  500: 'INTERNAL',
  504: 'DEADLINE_EXCEEDED',
};

/** An error in the form of the API. @param code one of the gateway's, which tells programs what the API's own types cannot */
export function apiError(api: ApiKind, status: number, code: string, message: string): object {
  if (api === 'messages')
    return { type: 'error', error: { type: anthropicTypes[status] ?? 'api_error', message, code } };
  if (api === 'gemini') {
    const details = [
      { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: code, domain: 'loopwatch' },
    ];
    return { error: { code: status, message, status: googleStatuses[status] ?? 'UNAVAILABLE', details } };
  }
  const type = status < 500 ? 'invalid_request_error' : 'upstream_error';
  return { error: { message, type, param: null, code } };
}

/** An error as an event within a stream. @param stream if its API has a form of its own for errors */
export function apiErrorEvent(
  api: ApiKind,
  status: number,
  code: string,
  message: string,
  stream?: { error?(error: object): string },
): string {
  const error = apiError(api, status, code, message);
  if (stream?.error !== undefined) return stream.error(error);
  const data = JSON.stringify(error);
  if (api === 'messages') return `event: error\ndata: ${data}\n\n`;
  if (api === 'responses') {
    const event = { type: 'error', code, message, param: null };
    return `event: error\ndata: ${JSON.stringify(event)}\n\n`;
  }
  return `data: ${data}\n\n`;
}
