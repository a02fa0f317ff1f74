import type { ApiReply, ApiRequest } from './scripted-upstream.ts';

/** Output of a model, independent of the API. */
export interface ModelOutput {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly args: unknown; readonly id?: string }[];
}

let answers = 0;

/** A reply in the format of the request's API, streamed if requested. */
export function modelReply(request: ApiRequest, output: ModelOutput): ApiReply {
  answers += 1;
  const write = request.path.includes('/messages')
    ? messagesReply
    : request.path.includes('/responses')
      ? responsesReply
      : /(?::|%3A)(?:streamG|g)enerateContent/i.test(request.path)
        ? generateContentReply
        : chatReply;
  return write(request, output, answers);
}

/** Splits text into the chunks that a model streams. */
function textChunks(text: string): string[] {
  return text.match(/\s*\S+/g) ?? (text === '' ? [] : [text]);
}

function chatReply({ json }: ApiRequest, { text, calls = [] }: ModelOutput, n: number): ApiReply {
  const head = { id: `chatcmpl-${String(n)}`, created: 1_763_757_600, model: json['model'] };
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const made = calls.map(({ name, args, id }, i) => ({
    id: id ?? `call_${String(n)}_${String(i)}`,
    type: 'function',
    function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
  }));
  const finish = made.length > 0 ? 'tool_calls' : 'stop';
  if (json['stream'] !== true) {
    const message = {
      role: 'assistant',
      content: text ?? null,
      ...(made.length > 0 && { tool_calls: made }),
    };
    const choices = [{ index: 0, message, logprobs: null, finish_reason: finish }];
    return {
      headers: { 'x-request-id': `req-${String(n)}` },
      json: { ...head, object: 'chat.completion', choices, usage },
    };
  }
  const chunk = (delta: object, finishReason: string | null = null): string =>
    event({
      ...head,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
    });
  const options = json['stream_options'] as { include_usage?: boolean } | undefined;
  const chunks = [
    chunk({ role: 'assistant', content: '' }),
    ...textChunks(text ?? '').map((content) => chunk({ content })),
    ...made.flatMap(({ id, type, function: { name, arguments: args } }, index) => [
      chunk({ tool_calls: [{ index, id, type, function: { name, arguments: '' } }] }),
      ...(args.match(/.{1,8}/gs) ?? []).map((part) =>
        chunk({ tool_calls: [{ index, function: { arguments: part } }] }),
      ),
    ]),
    chunk({}, finish),
    ...(options?.include_usage === true
      ? [event({ ...head, object: 'chat.completion.chunk', choices: [], usage })]
      : []),
    'data: [DONE]\n\n',
  ];
  return { headers: { 'x-request-id': `req-${String(n)}` }, chunks };
}

function messagesReply({ json }: ApiRequest, { text, calls = [] }: ModelOutput, n: number): ApiReply {
  const made = calls.map(({ name, args, id }, i) => ({
    type: 'tool_use',
    id: id ?? `toolu_${String(n)}_${String(i)}`,
    name,
    input: args,
  }));
  const content = [...(text === undefined ? [] : [{ type: 'text', text }]), ...made];
  const stop = made.length > 0 ? 'tool_use' : 'end_turn';
  const head = { id: `msg_${String(n)}`, type: 'message', role: 'assistant', model: json['model'] };
  const headers = { 'request-id': `req-${String(n)}` };
  if (json['stream'] !== true) {
    const usage = { input_tokens: 10, output_tokens: 5 };
    return { headers, json: { ...head, content, stop_reason: stop, stop_sequence: null, usage } };
  }
  const send = (data: { readonly type: string } & Record<string, unknown>): string => event(data, data.type);
  const start = {
    ...head,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 1 },
  };
  const blocks = content.flatMap((block, index) => {
    const [empty, deltas] =
      'text' in block
        ? [
            { ...block, text: '' },
            textChunks(block.text).map((piece) => ({ type: 'text_delta', text: piece })),
          ]
        : [
            { ...block, input: {} },
            (JSON.stringify(block.input).match(/.{1,8}/gs) ?? []).map((part) => ({
              type: 'input_json_delta',
              partial_json: part,
            })),
          ];
    return [
      send({ type: 'content_block_start', index, content_block: empty }),
      ...deltas.map((delta) => send({ type: 'content_block_delta', index, delta })),
      send({ type: 'content_block_stop', index }),
    ];
  });
  const end = { delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 5 } };
  const chunks = [
    send({ type: 'message_start', message: start }),
    send({ type: 'ping' }),
    ...blocks,
    send({ type: 'message_delta', ...end }),
    send({ type: 'message_stop' }),
  ];
  return { headers, chunks };
}

function responsesReply({ json }: ApiRequest, { text, calls = [] }: ModelOutput, n: number): ApiReply {
  const id = String(n);
  const message = {
    type: 'message',
    id: `msg_${id}`,
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: text ?? '', annotations: [] }],
  };
  const made = calls.map(({ name, args, id: callId }, i) => ({
    type: 'function_call',
    id: `fc_${id}_${String(i)}`,
    call_id: callId ?? `call_${id}_${String(i)}`,
    name,
    arguments: typeof args === 'string' ? args : JSON.stringify(args),
    status: 'completed',
  }));
  const output = [...(text === undefined ? [] : [message]), ...made];
  const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
  const response = {
    id: `resp_${id}`,
    object: 'response',
    created_at: 1_763_757_600,
    status: 'completed',
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model: json['model'],
    output,
    parallel_tool_calls: true,
    previous_response_id: json['previous_response_id'] ?? null,
    tool_choice: 'auto',
    tools: [],
    usage,
  };
  const headers = { 'x-request-id': `req-${id}` };
  if (json['stream'] !== true) return { headers, json: response };
  let sequence = 0;
  const send = (type: string, data: object): string => {
    const sent = event({ type, sequence_number: sequence, ...data }, type);
    sequence += 1;
    return sent;
  };
  const begun = { ...response, status: 'in_progress', output: [], usage: null };
  const chunks = [
    send('response.created', { response: begun }),
    send('response.in_progress', { response: begun }),
    ...output.flatMap((item, at) => {
      const place = { output_index: at, item_id: item.id };
      if ('content' in item) {
        const part = item.content[0];
        const whole = part?.text ?? '';
        const empty = { type: 'output_text', text: '', annotations: [] };
        return [
          send('response.output_item.added', {
            output_index: at,
            item: { ...item, status: 'in_progress', content: [] },
          }),
          send('response.content_part.added', { ...place, content_index: 0, part: empty }),
          ...textChunks(whole).map((delta) =>
            send('response.output_text.delta', { ...place, content_index: 0, delta, logprobs: [] }),
          ),
          send('response.output_text.done', { ...place, content_index: 0, text: whole, logprobs: [] }),
          send('response.content_part.done', { ...place, content_index: 0, part }),
          send('response.output_item.done', { output_index: at, item }),
        ];
      }
      return [
        send('response.output_item.added', {
          output_index: at,
          item: { ...item, arguments: '', status: 'in_progress' },
        }),
        ...(item.arguments.match(/.{1,8}/gs) ?? []).map((delta) =>
          send('response.function_call_arguments.delta', { ...place, delta }),
        ),
        send('response.function_call_arguments.done', {
          ...place,
          name: item.name,
          arguments: item.arguments,
        }),
        send('response.output_item.done', { output_index: at, item }),
      ];
    }),
    send('response.completed', { response }),
  ];
  return { headers, chunks };
}

/** Gemini API: whole, as server-sent events, or as a JSON array. */
function generateContentReply({ path }: ApiRequest, { text, calls = [] }: ModelOutput, n: number): ApiReply {
  const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
  const head = { usageMetadata, modelVersion: 'gemini-test', responseId: `resp-${String(n)}` };
  const made = calls.map(({ name, args, id }) => ({
    functionCall: { ...(id !== undefined && { id }), name, args },
    thoughtSignature: 'c2lnbmF0dXJl',
  }));
  const record = (parts: readonly object[], more: object = {}) => ({
    candidates: [{ content: { parts, role: 'model' }, ...more, index: 0 }],
    ...head,
  });
  const end = { finishReason: 'STOP' };
  if (!path.includes(':streamGenerateContent'))
    return { json: record([...(text === undefined ? [] : [{ text }]), ...made], end) };
  const records = [
    ...textChunks(text ?? '').map((piece) => record([{ text: piece }])),
    ...made.map((part) => record([part])),
    record([{ text: '' }], end),
  ];
  if (path.includes('alt=sse'))
    return { chunks: records.map((each) => event(each).replaceAll('\n', '\r\n')) };
  const elements = records.map((each, i) => `${i === 0 ? '[' : ',\r\n'}${JSON.stringify(each, null, 2)}`);
  return {
    headers: { 'content-type': 'application/json; charset=UTF-8' },
    // Cut anywhere, as a network does.
    chunks: [...elements, '\n]'].join('').match(/[^]{1,97}/g) ?? [],
  };
}

function event(data: object, name?: string): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}
