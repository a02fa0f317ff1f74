import type { IncomingHttpHeaders } from 'node:http';

const attributes = ['specversion', 'id', 'source', 'type', 'subject', 'partitionkey', 'time'];

/** A CloudEvent in binary mode, whose attributes are headers, in structured mode; any other body unchanged. */
export function structured(
  body: AsyncGenerator<Buffer>,
  headers: IncomingHttpHeaders,
): AsyncGenerator<Buffer> {
  return 'ce-specversion' in headers ? enveloped(body, headers) : body;
}

async function* enveloped(
  body: AsyncGenerator<Buffer>,
  headers: IncomingHttpHeaders,
): AsyncGenerator<Buffer> {
  const given = attributes.flatMap((name) => {
    const value = headers[`ce-${name}`];
    return typeof value === 'string' ? [[name, decoded(value)] as const] : [];
  });
  let isEmpty = true;
  yield Buffer.from(JSON.stringify(Object.fromEntries(given)).slice(0, -1));
  for await (const chunk of body) {
    if (isEmpty) yield Buffer.from(',"data":');
    isEmpty = false;
    yield chunk;
  }
  yield Buffer.from('}');
}

/** Headers have other than ASCII characters percent-encoded. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
