import type { AnswerReceiver } from './answer.ts';
import type { ApiKind } from './api-error.ts';
import { apiError } from './api-error.ts';
import type { ClientResponse } from './client-response.ts';
import { responseHeaders } from './headers.ts';
import type { Upstream, UpstreamRequest } from './upstream.ts';
import type { UpstreamError } from './upstream-error.ts';

/** Sends a request on and its answer back, each byte as it comes. @returns how it ended */
export function passThrough(
  upstream: Upstream,
  request: UpstreamRequest,
  client: ClientResponse,
  api: ApiKind,
): Promise<'passed' | UpstreamError> {
  return new Promise((resolve) => {
    const receiver: AnswerReceiver = {
      start(status, headers, statusMessage) {
        client.head(status, responseHeaders(headers), statusMessage);
      },
      data(chunk) {
        client.write(chunk);
      },
      end() {
        client.end();
        resolve('passed');
      },
      failed(error) {
        answerFailure(client, api, error);
        resolve(error);
      },
    };
    client.feedFrom(upstream.send(request, receiver));
  });
}

/** Tells the client that the upstream failed: in words where nothing has been answered yet, else by breaking off. */
export function answerFailure(client: ClientResponse, api: ApiKind, error: UpstreamError): void {
  if (client.started) client.cut();
  else client.json(error.status, apiError(api, error.status, `upstream_${error.failure}`, error.message));
}
