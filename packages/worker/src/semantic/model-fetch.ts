/** More than any judgement needs; what would be longer is given up. */
export const maxAnswerBytes = 1_048_576;

/** Says what is wrong with an answer, apart from what it says. */
export class ModelFetchError extends Error {}

/**
 * The platform's fetch for a model's API: it follows no redirect, because the key and what the model is shown are meant for the
 * configured address alone, and it reads no more than an answer can be.
 */
export async function modelFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, { ...init, redirect: 'manual' });
  const { status, statusText, headers, body } = response;
  if (status >= 300 && status < 400) {
    await body?.cancel();
    throw new ModelFetchError(
      `the model's API answers with a redirect (${String(status)} to ${headers.get('location') ?? 'nowhere'}), which is not followed; set llm.base_url to the address that is meant`,
    );
  }
  return new Response(body?.pipeThrough(atMost(maxAnswerBytes)) ?? null, { status, statusText, headers });
}

function atMost(limit: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes > limit)
        controller.error(new ModelFetchError(`the model's answer is longer than ${String(limit)} bytes`));
      else controller.enqueue(chunk);
    },
  });
}
