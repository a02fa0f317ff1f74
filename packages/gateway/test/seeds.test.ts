import { type ModelOutput, modelReply } from '@loopwatch/testkit';
import { describe, expect, it } from 'vitest';
import { Agent, calls, says, sent } from './agent.ts';
import { GatewayBench } from './harness.ts';

/** The examples of the older tools that Loopwatch follows, as requests and answers through the official client. */

const finishes = async (agent: Agent, turns: number) =>
  (await agent.turns(turns)).map(({ finish }) => (finish === 'tool_calls' ? 'call' : finish));

describe.each([false, true])('tool call limit transcript (streamed: %s)', (stream) => {
  const question = 'Keep searching for errors in every file';
  const rounds = [
    ['src/main.c', '{"output": "src/main.c:12: log_error(\\"Failed to initialize\\");", "count": 1}'],
    ['src/config.c', '{"output": "src/config.c:45: return CONFIG_ERROR;", "count": 1}'],
    ['src/parser.c', '{"output": "src/parser.c:78: parse_error(line, col);", "count": 1}'],
  ] as const;
  const summary =
    'I was searching through files but reached the tool call limit (3 calls). I found errors in main.c and config.c. ' +
    'To continue searching, you can ask me to resume or increase the limit.';

  it('tool call limit: requests and replies are those of the transcript', async () => {
    const answers: ModelOutput[] = rounds.map(([path], i) => ({
      calls: [{ name: 'grep', args: { pattern: 'error', path }, id: `call_grep${String(i + 1)}` }],
    }));
    await using bench = await GatewayBench.start(says(...answers, { text: summary }), {
      'tool_call_limit.max_turns': 3,
    });
    const agent = new Agent(bench, stream, 's-2', question);
    for (const [path, result] of rounds) {
      agent.result = result;
      expect(await agent.turn({ tool_choice: 'auto' })).toMatchObject({
        calls: [`grep {"pattern":"error","path":"${path}"}`],
        finish: 'tool_calls',
      });
    }
    expect(await agent.turn({ tool_choice: 'auto' })).toEqual({ text: summary, calls: [], finish: 'stop' });

    const requests = bench.upstream.requests.map(({ json }) => json);
    expect(requests.map((request) => request['tool_choice'])).toEqual(['auto', 'auto', 'auto', 'none']);
    for (const request of requests)
      expect(request).toMatchObject({ model: requests[0]?.['model'], tools: requests[0]?.['tools'] });
    expect(requests[3]?.['tools']).toMatchObject([{ function: { name: 'read_file' } }, {}, {}, {}]);
    expect(requests.map((request) => request['stream'] ?? false)).toEqual(Array(4).fill(stream));
    const history = sent(bench.upstream.requests[3]).map(
      ({ role, content, tool_calls: made, tool_call_id: id }) => ({
        role,
        ...(role === 'tool' ? { id, content: JSON.parse(String(content)) as unknown } : {}),
        ...(role === 'user' ? { content } : {}),
        ...(Array.isArray(made) && { calls: made as unknown }),
      }),
    );
    const limit = {
      limit_reached: true,
      limit_message: 'Tool call limit reached (3). Stopping tool loop.',
    };
    expect(history).toEqual([
      { role: 'user', content: question },
      ...rounds.flatMap(([path, result], i) => [
        {
          role: 'assistant',
          calls: [
            {
              id: `call_grep${String(i + 1)}`,
              type: 'function',
              function: { name: 'grep', arguments: JSON.stringify({ pattern: 'error', path }) },
            },
          ],
        },
        {
          role: 'tool',
          id: `call_grep${String(i + 1)}`,
          content: { ...(JSON.parse(result) as object), ...(i === 2 && limit) },
        },
      ]),
    ]);
  });
});

describe.each([false, true])('a prompt that needs twenty requests (streamed: %s)', (stream) => {
  it('model request limit: a prompt that needs twenty requests gets ten and a reason', async () => {
    await using bench = await GatewayBench.start(
      (request, i) =>
        modelReply(request, { calls: [{ name: 'read_file', args: { path: `file${String(i + 1)}.txt` } }] }),
      { 'turn_requests.max_turn_requests': 10 },
    );
    const agent = new Agent(
      bench,
      stream,
      's-3',
      'Read file1.txt, then file2.txt, then file3.txt, ... file20.txt',
    );
    expect(await finishes(agent, 11)).toEqual([...(Array(10).fill('call') as string[]), 'max_turn_requests']);
    expect(bench.upstream.requests).toHaveLength(10);
    const warnings = bench.texts('warn').filter((line) => line.includes('turn request'));
    expect(warnings).toEqual([
      'warn Approaching turn request limit for session s-3 (8/10)',
      'warn Session s-3 exceeded max turn requests (11/10)',
    ]);
    expect(bench.texts('debug').filter((line) => line.includes('Turn request'))).toHaveLength(10);
  });
});

describe.each([false, true])('common loop patterns (streamed: %s)', (stream) => {
  const weather: ModelOutput = { calls: [{ name: 'get_weather', args: { location: 'New York' } }] };
  const search = (query: string): ModelOutput => ({ calls: [{ name: 'search', args: { query } }] });
  const file = (path: string): ModelOutput => ({ calls: [{ name: 'read_file', args: { path } }] });
  it.each<[string, ModelOutput[], object, string[]]>([
    ['identical calls', [weather], {}, ['call', 'call', 'stop']],
    [
      'slight variations',
      [search('population of France 2023'), search('population of France, 2023')],
      {},
      ['call', 'call', 'stop'],
    ],
    [
      'attempts to recover from an error',
      [file('/tmp/data.csv'), file('data.csv'), file('./data.csv')],
      { 'tool_call_loop.similarity_threshold': 0.7 },
      ['call', 'call', 'stop'],
    ],
  ])('%s are stopped', async (_, said, flags, expected) => {
    await using bench = await GatewayBench.start(
      (request, i) => modelReply(request, said[i % said.length] ?? {}),
      { preset: 'similar', ...flags },
    );
    expect(await finishes(new Agent(bench, stream), expected.length)).toEqual(expected);
  });
});

describe.each([false, true])('configuration examples (streamed: %s)', (stream) => {
  const block = (max: number, ttl: number, mode: string, threshold: number) => ({
    'tool_call_loop.max_repeats': max,
    'tool_call_loop.ttl_seconds': ttl,
    'tool_call_loop.mode': mode,
    'tool_call_loop.similarity_threshold': threshold,
  });
  const call = (times: number): string[] => Array(times).fill('call') as string[];
  it.each<[string, object, string[], number]>([
    ['strict', block(2, 180, 'block', 0.8), ['call', 'stop'], 2],
    // Stopped after a chance that was not taken: the fourth call is asked for twice.
    ['lenient', block(4, 600, 'chance_then_block', 0.95), [...call(3), 'stop'], 5],
    ['development', block(5, 300, 'warn', 0.9), call(8), 8],
    [
      'a tool that may repeat itself less',
      { 'tool_call_loop.per_tool.get_weather.max_repeats': 2 },
      ['call', 'stop'],
      2,
    ],
    [
      'a tool that may repeat itself more',
      { 'tool_call_loop.per_tool.get_weather.max_repeats': 5 },
      [...call(4), 'stop'],
      5,
    ],
  ])('%s', async (_, flags, expected, requests) => {
    await using bench = await GatewayBench.start(calls('get_weather', { location: 'New York' }), {
      preset: 'similar',
      ...flags,
    });
    expect(await finishes(new Agent(bench, stream), expected.length)).toEqual(expected);
    expect(bench.upstream.requests).toHaveLength(requests);
  });

  it('session settings: the four chat commands', async () => {
    await using bench = await GatewayBench.start(calls('get_weather', { location: 'New York' }));
    const commands = [
      '!/set(tool_loop_detection_enabled=true)',
      '!/set(tool_loop_max_repeats=4)',
      '!/set(tool_loop_ttl_seconds=600)',
      '!/set(tool_loop_mode="chance_then_block")',
    ].join('\n');
    const settings = new Agent(bench, stream, 's-1', commands);
    expect((await settings.turn()).text).toContain('tool_call_loop.ttl_seconds is 600 in this session');
    expect(await finishes(new Agent(bench, stream), 4)).toEqual(['call', 'call', 'call', 'error']);
    expect(bench.upstream.requests).toHaveLength(5);
  });

  it('guidance: names the pattern, repeats the call, asks for another approach', async () => {
    await using bench = await GatewayBench.start(
      (request, i) =>
        modelReply(
          request,
          i < 3
            ? { calls: [{ name: 'search_web', args: { query: 'population of France 2023' } }] }
            : { text: 'I stop searching.' },
        ),
      { preset: 'similar', 'tool_call_loop.mode': 'chance_then_block' },
    );
    expect(await finishes(new Agent(bench, stream), 3)).toEqual(['call', 'call', 'stop']);
    const guidance = sent(bench.upstream.requests[3]).at(-1);
    expect(guidance?.['role']).toBe('assistant');
    const text = JSON.stringify(guidance?.['content']);
    for (const said of ['search_web', '3 times', '300', 'population of France 2023', 'parameters'])
      expect(text).toContain(said);
  });
});
