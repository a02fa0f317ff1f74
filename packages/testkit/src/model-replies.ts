import type { ApiReply, ApiRequest } from './scripted-upstream.ts';

/** What a model says, whichever API it is asked by. */
export interface Said {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly args: unknown; readonly id?: string }[];
}

let answers = 0;

/** An answer in the form of the API that the request speaks, streamed where that is asked for. */
export function modelReply(request: ApiRequest, said: Said): ApiReply {
  answers += 1;
  return chatReply(request, said, answers);
}

/** Text in the pieces that a model streams. */
export function pieces(text: string): string[] {
  return text.match(/\s*\S+/g) ?? (text === '' ? [] : [text]);
}

function chatReply({ json }: ApiRequest, { text, calls = [] }: Said, n: number): ApiReply {
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
    ...pieces(text ?? '').map((content) => chunk({ content })),
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

function event(data: object, name?: string): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}
