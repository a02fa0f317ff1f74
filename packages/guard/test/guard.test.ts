import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { AIMessage } from '@langchain/core/messages';
import { fakeModel } from '@langchain/core/testing';
import { tool as langchainTool } from '@langchain/core/tools';
import { Command, interrupt, MemorySaver } from '@langchain/langgraph';
import type { DetectionInput } from '@loopwatch/contract';
import { createSessionAnalyzer } from '@loopwatch/detectors';
import { waitFor } from '@loopwatch/testkit';
import { tool as aiTool, generateText, stepCountIs } from 'ai';
import { createAgent } from 'langchain';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { GraphStep } from '../src/graph-step.ts';
import { createGuard, type Guard } from '../src/index.ts';
import { plainValue } from '../src/plain-value.ts';
import { aiModel, type Step } from './agents.ts';

/** Calls a tool until it is denied. @returns the denial, if any */
function loop(read: (args: { path: string }) => unknown, times = 10): unknown {
  for (let n = 0; n < times; n += 1) {
    const result = read({ path: 'a' });
    if (result !== 'not found') return result;
  }
  return undefined;
}

function containsItself(n: number): object {
  const value: Record<string, unknown> = { n };
  value['self'] = value;
  return value;
}

function withoutJson(): object {
  return {
    toJSON: () => {
      throw new Error('no JSON');
    },
  };
}

class Counted {
  readonly #n: number;

  constructor(n: number) {
    this.#n = n;
  }

  get n(): number {
    return this.#n;
  }
}

const reader = (guard: Guard) =>
  guard.tool('read_file', ({ path }: { path: string }) => (path === '' ? 'no path' : 'not found'));

describe('guard modes', () => {
  it('steer: denies the call and lets the run continue', () => {
    const guard = createGuard();
    expect(loop(reader(guard))).toMatch(/^Loopwatch denied this call/);
    expect(guard.stopped).toBe(false);
    expect(guard.tool('write_file', () => 'written')()).toBe('written');
  });

  it('steer: ends the run at the third denial of a loop', () => {
    const guard = createGuard();
    const read = reader(guard);
    const stops = Array.from({ length: 6 }, () => [read({ path: 'a' }) === 'not found', guard.stopped]);
    expect(stops).toEqual([
      ...Array.from({ length: 3 }, () => [true, false]),
      [false, false],
      [false, false],
      [false, true],
    ]);
    expect(guard.reason).toContain('read_file');
  });

  it('steer: ends the run at the denials of calls side by side', async () => {
    const guard = createGuard();
    const read = guard.tool('read_file', ({ path }: { path: string }) => Promise.resolve(`text of ${path}`));
    const denied: boolean[][] = [];
    for (let n = 0; n < 6; n += 1) {
      const results = await Promise.all([read({ path: 'a' }), read({ path: 'b' })]);
      denied.push(results.map((result) => result.startsWith('Loopwatch')));
    }
    const runs = [false, false];
    expect(denied).toEqual([runs, runs, runs, runs, [true, true], [true, true]]);
    expect(guard.stopped).toBe(true);
  });

  it('steer: identical calls of one response are one step, and their denials count once', async () => {
    const guard = createGuard();
    const read = guard.tool('read_file', ({ path }: { path: string }) => Promise.resolve(`text of ${path}`));
    const answers: string[] = [];
    for (let n = 0; n < 6; n += 1) {
      const results = await Promise.all(Array.from({ length: 5 }, async () => read({ path: 'a' })));
      answers.push(results.map((result) => (result.startsWith('Loopwatch') ? 'D' : '-')).join(''));
      if (guard.stopped) answers.push('stopped');
    }
    expect(answers).toEqual(['-----', '-----', '-----', 'DDDDD', 'DDDDD', 'DDDDD', 'stopped']);
    expect(guard.stats()).toMatchObject({ calls: 30, denied: 15, faults: 0 });
  });

  it('steer: a call that starts while an identical one runs belongs to its step', async () => {
    const guard = createGuard();
    const running: (() => void)[] = [];
    const read = guard.tool<[object], Promise<string>>(
      'read_file',
      () => new Promise((resolve) => running.push(() => resolve('text'))),
    );
    const answers: string[] = [];
    // Five calls, two at a time.
    for (let n = 0; n < 4; n += 1) {
      const call = async () => read({ path: 'a' });
      const calls = [call()];
      for (let m = 1; m < 5; m += 1) {
        calls.push(call());
        running.shift()?.();
        await calls[m - 1];
      }
      running.shift()?.();
      const results = await Promise.all(calls);
      answers.push(results.map((result) => (result.startsWith('Loopwatch') ? 'D' : '-')).join(''));
    }
    expect(answers).toEqual(['-----', '-----', '-----', 'DDDDD']);
  });

  it('steer: retries of a call that never returns are a loop', () => {
    const guard = createGuard();
    const hang = guard.tool('fetch', () => new Promise<string>(() => undefined));
    const denied = Array.from({ length: 12 }, () => {
      const before = guard.stats().denied;
      void hang();
      return guard.stats().denied > before;
    });
    expect(denied.slice(0, 6)).toEqual(Array(6).fill(false));
    expect(denied.at(-1)).toBe(true);
  });

  it('watch: reports verdicts and denies nothing', () => {
    const seen: string[] = [];
    const guard = createGuard({ mode: 'watch', onVerdict: ({ phase }) => seen.push(phase) });
    expect(loop(reader(guard))).toBeUndefined();
    expect(seen).toContain('opened');
    expect(guard.stats()).toMatchObject({ calls: 10, denied: 0 });
  });

  it('stop: ends the run until the next prompt', () => {
    const guard = createGuard({ mode: 'stop' });
    loop(reader(guard));
    expect([guard.stopWhen(), guard.toolUseBehavior({}, []).isFinalOutput]).toEqual([true, true]);
    guard.prompt('Try something else');
    expect([guard.stopWhen(), guard.toolUseBehavior({}, []).isFinalOutput]).toEqual([false, false]);
  });
});

describe('options of a guard', () => {
  it.each<[given: object, message: string]>([
    [{ mode: 'halt' }, 'mode is "halt"; allowed: stop, steer, watch'],
    [{ mdoe: 'stop' }, 'mdoe is no option; allowed: session, agent, settings, server, mode, onVerdict'],
    [{ sesion: 's' }, 'did you mean session?'],
    [{ session: '' }, 'session is ""; allowed: text'],
    [{ session: 5 }, 'session is 5; allowed: text'],
    [{ settings: { preset: 'balancd' } }, 'settings.preset is "balancd"; allowed: one of'],
    [
      { settings: { tool_call_lop: {} } },
      'settings.tool_call_lop is no setting; did you mean tool_call_loop?',
    ],
    [{ settings: { budget: { calls: 0 } } }, 'settings.budget.calls is 0; allowed: a whole number'],
    [{ settings: { tool_cycle: { mode: 'never', x: 1 } } }, 'settings.tool_cycle.x is no setting'],
    [
      { settings: { per_tool: { 'a.b': { poller: 1 } } } },
      'settings.per_tool.a.b.poller is 1; allowed: true',
    ],
    [{ server: { url: 'localhost:4600' } }, 'server.url is "localhost:4600"; allowed: http://HOST:PORT'],
    [{ server: 'http://localhost:4600' }, 'server.url is undefined; allowed: http://HOST:PORT'],
    [{ settings: 'balanced' }, 'settings is "balanced"; allowed: a block'],
  ])('options of a guard: %j is refused', (given, message) => {
    expect(() => createGuard(given)).toThrow(TypeError);
    expect(() => createGuard(given)).toThrow(message);
  });

  it('options of a guard: words may be in any case', () => {
    const settings = { preset: 'Balanced', tool_call_loop: { mode: 'BLOCK' } } as unknown as DetectionInput;
    const guard = createGuard({ mode: 'STOP' as 'stop', settings });
    expect(loop(reader(guard))).toMatch(/^Loopwatch denied this call/);
    expect(guard.stopped).toBe(true);
  });
});

describe('a guarded tool', () => {
  it('returns and throws what the tool does, synchronously or as a promise', async () => {
    const guard = createGuard();
    const error = new Error('no');
    expect(guard.tool('a', (n: number) => n + 1)(1)).toBe(2);
    await expect(guard.tool('b', () => Promise.resolve({ n: 1 }))()).resolves.toEqual({ n: 1 });
    expect(() =>
      guard.tool('c', () => {
        throw error;
      })(),
    ).toThrow(error);
    await expect(guard.tool('d', () => Promise.reject(error))()).rejects.toBe(error);
  });

  it.each<[name: string, make: (n: number) => unknown]>([
    ['a bigint', (n) => ({ id: BigInt(n) })],
    ['a symbol', (n) => ({ id: Symbol(n) })],
    ['an object that contains itself', (n) => containsItself(n)],
    ['a map', (n) => new Map([['n', n]])],
    ['a set', (n) => ({ of: new Set([n]) })],
    ['search parameters', (n) => new URLSearchParams({ n: String(n) })],
    ['a buffer', (n) => ({ bytes: new Uint8Array([n]).buffer })],
    ['an image', (n) => ({ bytes: Buffer.alloc(50_000, n) })],
    ['numbers in binary', (n) => new Float64Array([n])],
    ['an error', (n) => ({ error: new Error(`no ${String(n)}`) })],
    ['a pattern', (n) => ({ pattern: new RegExp(String(n)) })],
    ['a blob', (n) => ({ file: new Blob([String(n)]) })],
    ['a request', (n) => new Request(`http://localhost/${String(n)}`)],
    ['a stream', (n) => Readable.from([String(n)])],
    ['an iterator', (n) => [n].values()],
    ['an object whose state is private', (n) => new Counted(n)],
    ['an object without JSON', withoutJson],
  ])('tells calls and results with %s apart', (_, make) => {
    const guard = createGuard();
    const save = guard.tool('save', (given: unknown) => typeof given);
    const poll = guard.tool('poll', (_: object, n: number) => make(n));
    for (let n = 0; n < 8; n += 1) expect(save(make(n))).toBe('object');
    for (let n = 0; n < 8; n += 1) expect(typeof poll({}, n)).toBe('object');
    expect(guard.stats()).toMatchObject({ calls: 16, denied: 0, faults: 0 });
  });

  it.each<[name: string, make: () => unknown]>([
    ['a bigint', () => ({ id: 1n })],
    ['an object that contains itself', () => containsItself(1)],
    ['a map', () => ({ of: new Map([['n', new Map([['m', 1]])]]) })],
  ])('denies a loop of calls and results with %s', (_, make) => {
    const guard = createGuard();
    const echo = guard.tool('echo', () => make());
    for (let n = 0; n < 10; n += 1) (echo as (given: unknown) => unknown)(make());
    expect(guard.stopped).toBe(true);
  });

  it.each([Buffer.alloc(100_000), new Uint8Array(100_000), new ArrayBuffer(100_000)])(
    'shows both ends of many bytes: %#',
    (bytes) => {
      expect(JSON.stringify(plainValue({ bytes })).length).toBeLessThan(10_000);
    },
  );

  it('uses up no iterator', () => {
    const guard = createGuard();
    expect([...(guard.tool('list', () => [1, 2].values())() as Iterable<number>)]).toEqual([1, 2]);
  });

  it('denies a call in the way in which it returns', async () => {
    const failed = async (): Promise<string> => await Promise.resolve('not found');
    async function* streamed(): AsyncGenerator<string> {
      yield 'searching';
      yield await failed();
    }
    const read = createGuard().tool('read', failed);
    const later = createGuard().tool('later', () => Promise.resolve('not found'));
    const stream = createGuard().tool('stream', streamed);
    const values = createGuard().tool('values', function* (): Generator<string> {
      yield 'searching';
      yield 'not found';
    });
    const got: string[][] = [[], [], [], []];
    for (let n = 0; n < 5; n += 1) {
      got[0]?.push(await (read() as Promise<string>).then((text) => text));
      got[1]?.push(await (later() as Promise<string>).then((text) => text));
      let last = '';
      for await (const text of stream() as AsyncGenerator<string>) last = text;
      got[2]?.push(last);
      got[3]?.push([...(values() as Generator<string>)].at(-1) ?? '');
    }
    const denial = expect.stringMatching(/^Loopwatch denied this call/) as string;
    for (const texts of got) expect(texts.slice(2, 5)).toEqual(['not found', denial, denial]);
  });

  it('returns and throws even what cannot be looked at', () => {
    const guard = createGuard();
    const opaque = new Proxy(new Error('secret'), {
      get: () => {
        throw new Error('not to be read');
      },
    });
    expect(Object.is(guard.tool('get', () => opaque)(), opaque)).toBe(true);
    const fail = guard.tool('fail', () => {
      throw opaque;
    });
    let thrown: unknown;
    try {
      fail();
    } catch (error) {
      thrown = error;
    }
    expect(Object.is(thrown, opaque)).toBe(true);
  });

  it('has its result if its caller takes only some values of a generator', async () => {
    const guard = createGuard();
    const search = guard.tool('search', async function* (): AsyncGenerator<string> {
      yield await Promise.resolve('not found');
      yield 'more';
    });
    for (let n = 0; n < 6; n += 1)
      for await (const text of search() as AsyncGenerator<string>) if (text !== '') break;
    expect(guard.stopped).toBe(true);
    expect(guard.stats()).toMatchObject({ denied: 3, faults: 0 });
  });

  it('passes the values that its caller sends to a generator', async () => {
    const guard = createGuard();
    const values = guard.tool('ask', async function* (): AsyncGenerator<string, string, string> {
      return yield await Promise.resolve('which?');
    })() as AsyncGenerator<string, string, string>;
    expect(await values.next('')).toEqual({ done: false, value: 'which?' });
    expect(await values.next('this')).toEqual({ done: true, value: 'this' });
  });

  it.each([
    ['next a', 'next b', 'return r', 'next'],
    ['next', 'throw caught', 'next', 'throw passed', 'next'],
    ['next', 'next stay', 'return r', 'next', 'next'],
    ['return r', 'next'],
    ['throw early', 'next'],
  ])('hands on to a generator what its caller does: %s, %s, …', async (...steps) => {
    const guard = createGuard({ mode: 'watch' });
    function* values(): Generator<unknown, string, unknown> {
      let got: unknown = 'start';
      let isLast = false;
      try {
        while (got !== 'end') {
          try {
            got = yield got;
          } catch (error) {
            if ((error as Error).message !== 'caught') throw error;
            got = 'caught';
          }
        }
        isLast = true;
        return 'returned';
      } finally {
        if (!isLast && got === 'stay') yield 'still here';
      }
    }
    async function* stream(): AsyncGenerator<unknown, string, unknown> {
      return yield* await Promise.resolve(values());
    }
    const outcomes = async (running: Generator | AsyncGenerator) => {
      const got: unknown[] = [];
      for (const step of steps) {
        const [method, value] = step.split(' ') as ['next' | 'return' | 'throw', string?];
        try {
          got.push(await running[method](method === 'throw' ? new Error(value) : value));
        } catch (error) {
          got.push(String(error));
        }
      }
      return got;
    };
    for (const run of [values, stream]) {
      const guarded = guard.tool('run', run as typeof values)() as Generator;
      expect(Object.prototype.toString.call(guarded)).toBe(Object.prototype.toString.call(run()));
      expect(await outcomes(guarded)).toEqual(await outcomes(run()));
    }
  });

  it('is called with the `this` of its caller', async () => {
    const guard = createGuard();
    interface Files {
      readonly folder: string;
    }
    const files = {
      folder: '/w',
      read: guard.tool('read', function (this: Files, path: string, suffix: string) {
        return `${this.folder}/${path}${suffix}`;
      }),
      list: guard.tool('list', function (this: Files) {
        return Promise.resolve(this.folder);
      }),
    };
    expect(files.read('a', '.ts')).toBe('/w/a.ts');
    expect(await files.list()).toBe('/w');
  });

  it('passes generator values through and compares the last one', async () => {
    const guard = createGuard();
    const tools = guard.aiTools({
      search: {
        execute: async function* ({ query }: { query: string }) {
          yield await Promise.resolve(`searching ${query}`);
          yield 'nothing found';
        },
      },
    });
    const all: unknown[] = [];
    for (let n = 0; n < 8; n += 1) {
      const values = tools.search.execute({ query: 'x' });
      if (typeof values === 'string') {
        all.push(values);
        break;
      }
      for await (const value of values) all.push(value);
    }
    expect(all.slice(0, 2)).toEqual(['searching x', 'nothing found']);
    expect(all.at(-1)).toMatch(/^Loopwatch denied this call/);
  });

  it('returns content and artifact if LangChain expects both', async () => {
    const guard = createGuard();
    const plain = langchainTool(() => ['not found', { hits: 0 }], {
      name: 'search',
      schema: z.object({}),
      responseFormat: 'content_and_artifact',
    });
    const [search] = guard.langchainTools([plain]);
    expect(search).toBeInstanceOf(plain.constructor);
    const contents: unknown[] = [];
    for (let n = 0; n < 8; n += 1) {
      const message = (await search!.invoke({ type: 'tool_call', id: 'c', name: 'search', args: {} })) as {
        content: unknown;
      };
      contents.push(message.content);
    }
    expect(contents[0]).toBe('not found');
    expect(contents.at(-1)).toMatch(/^Loopwatch denied this call/);
  });

  it.each(['tools', 'middleware'])(
    'takes a tool that asks its user, and that LangGraph runs again, for one call (%s)',
    async (way) => {
      const guard = createGuard();
      const ask = langchainTool(
        () => Array.from({ length: 6 }, () => interrupt<string, string>('Which?')).join(),
        {
          name: 'ask',
          schema: z.object({}),
        },
      );
      const calls = ['c1', 'c2'].map((id) => ({ id, name: 'ask', args: {}, type: 'tool_call' as const }));
      const agent = createAgent({
        model: fakeModel().respondWithTools(calls).respond(new AIMessage('Done.')),
        tools: way === 'tools' ? guard.langchainTools([ask]) : [ask],
        middleware: way === 'tools' ? [] : [guard.langchainMiddleware()],
        checkpointer: new MemorySaver(),
      });
      const thread = { configurable: { thread_id: '1' } };
      let state = await agent.invoke({ messages: [{ role: 'user', content: 'Go' }] }, thread);
      for (let n = 0; n < 20 && state.__interrupt__ !== undefined; n += 1) {
        const resume = Object.fromEntries(state.__interrupt__.map(({ id }) => [id, 'L']));
        state = await agent.invoke(new Command({ resume }), thread);
      }
      expect(state.messages.map(({ text }) => text).slice(-3)).toEqual([
        'L,L,L,L,L,L',
        'L,L,L,L,L,L',
        'Done.',
      ]);
      expect(guard.stats()).toMatchObject({ calls: 2, denied: 0, faults: 0 });
    },
  );

  it('hands on whatever a tool of LangGraph throws', () => {
    const opaque = new Proxy(new Error('x'), {
      get: () => {
        throw new Error('opaque');
      },
    });
    const seen: unknown[] = [];
    const recorder = { recordResult: () => undefined, recordError: (error: unknown) => seen.push(error) };
    const call = new GraphStep().gate({ enter: () => recorder }, 'c1').enter('read', {});
    if (call.denial === undefined) for (const thrown of [opaque, null, 'x']) call.recordError(thrown);
    expect(seen).toHaveLength(1);
    expect(Object.is(seen[0], opaque)).toBe(true);
  });

  it('tells the model of a denial if the AI SDK converts its results', async () => {
    const guard = createGuard({ mode: 'stop' });
    const search = aiTool({
      inputSchema: z.object({}),
      execute: () => ({ hits: [] as string[] }),
      // As tools of MCP servers, whose conversion expects their own results.
      toModelOutput: ({ output }) => ({ type: 'text', value: output.hits.join() }),
    });
    const scenario = { steps: Array(8).fill({ name: 'search', args: {} }) as Step[], act: () => '' };
    const { response } = await generateText({
      model: aiModel(scenario),
      prompt: 'Go on',
      tools: guard.aiTools({ search }),
      stopWhen: [stepCountIs(8), guard.stopWhen],
    });
    const told = response.messages.flatMap(({ role, content }) => (role === 'tool' ? content : []));
    expect(told[0]).toMatchObject({ output: { type: 'text', value: '' } });
    expect(told.at(-1)).toMatchObject({
      output: { type: 'text', value: expect.stringMatching(/^Loopwatch denied this call/) as string },
    });
  });

  it('runs even if the guard fails, and counts each fault', () => {
    const circular: Record<string, unknown> = { toString: () => 'x' };
    circular['self'] = circular;
    const guard = createGuard({
      onVerdict: () => {
        throw new Error('of the user');
      },
    });
    expect(guard.tool('get', () => circular)()).toBe(circular);
    expect(guard.tool('big', (n: bigint) => n)(1n)).toBe(1n);
    loop(reader(guard));
    expect(guard.stats().faults).toBeGreaterThan(0);
    const broken = guard.tool('read', (args: object) => typeof args);
    const hostile = {
      toJSON: () => {
        throw new Error('no JSON');
      },
      toString: () => {
        throw new Error('no text');
      },
    };
    expect(broken(hostile)).toBe('object');
  });

  it('is the original tool if it runs elsewhere', () => {
    const guard = createGuard();
    const hosted = { type: 'hosted_tool', name: 'web_search' };
    const client = { description: 'asks the user' };
    expect(guard.agentsTools([hosted])[0]).toBe(hosted);
    expect(guard.aiTools({ client }).client).toBe(client);
  });
});

describe('a guard whose server is unavailable', () => {
  it('works without it', async () => {
    const guard = createGuard({ server: { url: 'http://127.0.0.1:1' }, mode: 'stop' });
    expect(loop(reader(guard))).toMatch(/^Loopwatch denied this call/);
    await guard.close();
    expect(guard.stats()).toMatchObject({ faults: 0, reported: 0 });
    expect(guard.stats().dropped).toBeGreaterThan(0);
  });

  it.each([
    [
      'is not there',
      undefined,
      /^Loopwatch: events cannot be sent to http:\S+\/api\/v1\/events: connect ECONNREFUSED /,
    ],
    [
      'rejects the token',
      401,
      /^Loopwatch: events cannot be sent to http:\S+: 401 \{"detail":"a wrong token"\}$/,
    ],
    ['is another server', 200, /^Loopwatch: events cannot be sent to http:\S+: .* is not valid JSON$/],
  ])('says once that its server %s', async (_, status, warning) => {
    const body = status === 200 ? '<html>' : '{"detail":"a wrong token"}';
    await using server = await answeringServer(status ?? 200, body);
    if (status === undefined) await server[Symbol.asyncDispose]();
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    onTestFinished(() => warn.mockRestore());
    const guard = createGuard({ server: { url: server.url, token: 'wrong' } });
    reader(guard)({ path: 'a' });
    await waitFor(() => warn.mock.calls.length > 0);
    reader(guard)({ path: 'b' });
    await guard.close();
    expect(warn.mock.calls).toEqual([[expect.stringMatching(warning)]]);
  });
});

/** A server that answers each post in the same way. */
async function answeringServer(status: number, body: string) {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A server whose first two posts fail, and whose streams send what a test asks for. */
async function fakeServer() {
  const posts: { authorization: string | undefined; lines: Record<string, unknown>[] }[] = [];
  const streams: { lastId: unknown; send: (text: string) => void; end: () => void; path: string }[] = [];
  let failures = 2;
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      const send = (text: string) => void response.write(text);
      const lastId = request.headers['last-event-id'];
      streams.push({ lastId, send, end: () => void response.end(), path: request.url! });
      return;
    }
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => {
      failures -= 1;
      if (failures >= 0) return void response.writeHead(503).end('{}');
      const lines = body.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
      posts.push({ authorization: request.headers.authorization, lines });
      response.writeHead(202).end('{"rejected":[]}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return {
    url,
    posts,
    streams,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The verdict of another analysis on a session that only reads this. */
function blockedLoop(args: object): object | undefined {
  const analyzer = createSessionAnalyzer({ preset: 'stream' });
  const call = { type: 'tool_call_request', name: 'read_file', args, time: Date.now() } as const;
  return Array.from({ length: 5 }, () => analyzer.push(call))
    .flat()
    .at(-1);
}

describe('a guard with a server', () => {
  it('sends each event once and in order, even if the server fails', async () => {
    await using server = await fakeServer();
    const guard = createGuard({ session: 's-1', server: { url: server.url, token: 'secret' } });
    guard.prompt('Read it');
    reader(guard)({ path: 'a' });
    await waitFor(() => guard.stats().reported === 3);
    const child = guard.child('helper');
    child.text('Let me see');
    await guard.close();
    const events = server.posts.flatMap(({ lines }) => lines);
    expect(events.map(({ type }) => type)).toEqual([
      'prompt_started',
      'tool_call_request',
      'tool_result',
      'content',
    ]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(4);
    expect(events[3]).toMatchObject({ sessionId: 's-1/helper', parentSessionId: 's-1' });
    expect(server.posts[0]!.authorization).toBe('Bearer secret');
    expect(guard.stats()).toMatchObject({ reported: 4, dropped: 0 });
  });

  it('sends the arguments of each call as an object or as text', async () => {
    await using server = await fakeServer();
    const guard = createGuard({ server: { url: server.url } });
    for (const given of [{ n: 1 }, 'text', 1, true, [1, 2]])
      guard.tool('take', (taken: unknown) => typeof taken)(given);
    await waitFor(() => guard.stats().reported === 10);
    const calls = server.posts.flatMap(({ lines }) => lines.filter(({ args }) => args !== undefined));
    expect(calls.map(({ args }) => args)).toEqual([{ n: 1 }, 'text', '1', 'true', '[1,2]']);
    await guard.close();
  });

  it('keeps no agent waiting for a server that hangs', async () => {
    const server = createServer(() => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    const guard = createGuard({ server: { url } });
    const startedAt = performance.now();
    for (let call = 0; call < 6; call += 1) reader(guard)({ path: String(call) });
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    await guard.close();
    expect(performance.now() - startedAt).toBeLessThan(4_000);
    expect(guard.stats()).toMatchObject({ calls: 6, reported: 0, dropped: 12 });
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });

  it('follows verdicts of the server and resumes after the last one it has seen', async () => {
    await using server = await fakeServer();
    const seen: string[] = [];
    const guard = createGuard({
      session: 's/1',
      server: { url: server.url },
      onVerdict: (_, origin) => seen.push(origin),
    });
    await waitFor(() => server.streams.length === 1);
    const opened = { ...blockedLoop({ path: 'a' }), id: 'v-1', incidentId: 'i-1' };
    const [stream] = server.streams;
    expect(stream!.path).toBe('/api/v1/sessions/s%2F1/verdicts/stream');
    const text = `event: verdict\nid: v-1\ndata: ${JSON.stringify(opened)}\n\n`;
    // In chunks, and twice.
    stream!.send(text.slice(0, 30));
    stream!.send(text.slice(30) + text);
    await waitFor(() => seen.length === 1);
    expect(reader(guard)({ path: 'a' })).toContain(
      'Loopwatch denied this call: You have called read_file 5 times in a row',
    );
    expect(reader(guard)({ path: 'b' })).toBe('not found');
    stream!.end();
    await waitFor(() => server.streams.length === 2);
    expect(server.streams[1]!.lastId).toBe('v-1');
    const resolved = { ...opened, id: 'v-2', phase: 'resolved', action: 'none', reason: 'It is over' };
    server.streams[1]!.send(`event: verdict\nid: v-2\ndata: ${JSON.stringify(resolved)}\n\n`);
    await waitFor(() => seen.length === 2);
    expect(reader(guard)({ path: 'a' })).toBe('not found');
    expect(seen).toEqual(['server', 'server']);
    await guard.close();
  });

  it('does not deny calls for dismissed incidents, its own or those of the server', async () => {
    await using server = await fakeServer();
    const own: string[] = [];
    await using guard = createGuard({
      mode: 'stop',
      server: { url: server.url },
      onVerdict: ({ incidentId }, origin) => {
        if (origin === 'guard') own.push(incidentId);
      },
    });
    await waitFor(() => server.streams.length === 1);
    const read = reader(guard);
    for (let call = 0; call < 10; call += 1) read({ path: 'a' });
    expect(guard.stopped).toBe(true);
    const verdict = { id: 'v-1', incidentId: 'i-1', phase: 'opened', kind: 'limit', detector: 'budget' };
    const blocked = { ...verdict, action: 'block', reason: 'Over' };
    const dismiss = (ids: readonly string[]) =>
      `event: triage\ndata: ${JSON.stringify({ dismissed: ids })}\n\n`;
    const [stream] = server.streams;
    stream!.send(`event: verdict\nid: v-1\ndata: ${JSON.stringify(blocked)}\n\n${dismiss(own)}`);
    await waitFor(() => !guard.stopped);
    expect(read({ path: 'b' })).toContain('Loopwatch denied this call: Over');
    stream!.send(dismiss([...own, 'i-1']));
    await waitFor(() => !guard.stopped);
    expect([read({ path: 'a' }), read({ path: 'b' })]).toEqual(['not found', 'not found']);
    stream!.send(dismiss(['i-1']));
    await waitFor(() => read({ path: 'a' }) !== 'not found');
  });

  it('stops and resumes as the verdict stream says', async () => {
    await using server = await fakeServer();
    await using guard = createGuard({ server: { url: server.url } });
    await waitFor(() => server.streams.length === 1);
    server.streams[0]!.send('event: stop\ndata: {"stopped":true}\n\n');
    await waitFor(() => guard.stopped);
    expect(reader(guard)({ path: 'a' })).toContain('The session was stopped in Loopwatch');
    server.streams[0]!.send('event: stop\ndata: {"stopped":false}\n\n');
    await waitFor(() => !guard.stopped);
    expect(reader(guard)({ path: 'a' })).toBe('not found');
  });
});
