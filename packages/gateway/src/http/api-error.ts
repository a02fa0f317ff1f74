/** Supported APIs; `other` is passed through. */
export type ApiKind = 'chat' | 'responses' | 'messages' | 'other';

const anthropicTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  413: 'request_too_large',
  504: 'timeout_error',
};

/** An error in the form of the API. */
export function apiError(api: ApiKind, status: number, code: string, message: string): object {
  if (api === 'messages')
    return { type: 'error', error: { type: anthropicTypes[status] ?? 'api_error', message } };
  const type = status < 500 ? 'invalid_request_error' : 'upstream_error';
  return { error: { message, type, param: null, code } };
}

/** An error as an event within a stream. */
export function apiErrorEvent(api: ApiKind, status: number, code: string, message: string): string {
  const data = JSON.stringify(apiError(api, status, code, message));
  if (api === 'messages') return `event: error\ndata: ${data}\n\n`;
  if (api === 'responses') {
    const event = { type: 'error', code, message, param: null };
    return `event: error\ndata: ${JSON.stringify(event)}\n\n`;
  }
  return `data: ${data}\n\n`;
}
