import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { CallBudget, LimitedJudge, modelClient } from '../../src/index.ts';

const servers: Server[] = [];

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

function ask(url: string, timeoutMs = 10_000): Promise<string> {
  const client = modelClient({ base_url: `${url}/v1`, model: 'm', api_key: 'secret' });
  if (client === undefined) throw new Error('there is no model');
  const limits = { maxConcurrent: 1, perMinute: Infinity, perSession: Infinity };
  const judge = new LimitedJudge(client, new CallBudget(limits, () => performance.now()), timeoutMs);
  return judge.ask({ sessionId: 's', messages: [{ role: 'user', content: 'private' }], second: false });
}

const answer = (content: string) =>
  JSON.stringify({
    id: 'a',
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content } }],
  });

describe('model API client', () => {
  test('model API client: returns the answer', async () => {
    const url = await serve((_, response) => {
      response.setHeader('content-type', 'application/json').end(answer('fine'));
    });
    await expect(ask(url)).resolves.toBe('fine');
  });

  test.each([301, 302, 303, 307, 308])(
    'model API client: does not follow a redirect with status %i',
    async (status) => {
      let asked = 0;
      const elsewhere = await serve((_, response) => {
        asked += 1;
        response.setHeader('content-type', 'application/json').end(answer('elsewhere'));
      });
      const url = await serve((request, response) => {
        response.writeHead(status, { location: `${elsewhere}${request.url ?? ''}` }).end();
      });
      await expect(ask(url)).rejects.toThrow(
        `answered with a redirect (${String(status)} to ${elsewhere}/v1/chat/completions), which is not followed; set llm.base_url`,
      );
      expect(asked).toBe(0);
    },
  );

  test.each([
    ['JSON', 'application/json'],
    ['any text', 'text/plain'],
  ])('model API client: aborts an endless response of %s', async (_, type) => {
    let sent = 0;
    const url = await serve((_request, response) => {
      response.setHeader('content-type', type);
      const chunk = Buffer.alloc(65_536, 0x20);
      const more = (): void => {
        if (response.destroyed) return;
        sent += chunk.length;
        if (response.write(chunk)) setImmediate(more);
        else response.once('drain', more);
      };
      more();
    });
    await expect(ask(url)).rejects.toThrow("the model's answer is larger than 1048576 bytes");
    expect(sent).toBeLessThan(32 * 1_048_576);
  });

  test.each<[string, RequestListener]>([
    ['does not respond', () => undefined],
    [
      'does not finish its response',
      (_, response) => {
        response.setHeader('content-type', 'application/json').write('{"id":');
      },
    ],
  ])('model API client: times out if the server %s', async (_, listener) => {
    const url = await serve(listener);
    await expect(ask(url, 200)).rejects.toThrow('no answer within 0.2 s');
  });
});
