import { type ApiReply, type ApiRequest, type ModelOutput, modelReply } from '@loopwatch/testkit';
import type { Script } from '../harness.ts';

const weather = (city: string): ModelOutput => ({
  text: 'Let me look.',
  calls: [{ name: 'get_weather', args: { city } }],
});

/** What the model says, by how many answers it has given and whether it was told of its loop. */
const characters: Readonly<Record<string, (given: number, warnedAt: number | undefined) => ModelOutput>> = {
  loops: () => weather('Paris'),
  finishes: (given) => [weather('Paris'), weather('Rome')][given] ?? { text: 'Rome is warmer.' },
  recovers: (given, warnedAt) =>
    warnedAt === undefined
      ? weather('Paris')
      : given === warnedAt
        ? weather('Rome')
        : { text: 'Rome is warmer.' },
};

/** The model that a request asks; Gemini's requests have it in the path. */
export function modelOf({ json, path }: ApiRequest): string {
  const { model } = json;
  return typeof model === 'string' ? model : (/\/models\/([^/:]+):/.exec(path)?.[1] ?? '');
}

/** A model whose character is the beginning of its name, `loops-17`: the rest tells runs apart. */
export function scriptedModel(): Script {
  const runs = new Map<string, { given: number; warnedAt: number | undefined }>();
  return (request: ApiRequest): ApiReply => {
    const name = modelOf(request);
    const run = runs.get(name) ?? { given: 0, warnedAt: undefined };
    runs.set(name, run);
    if (request.bytes.includes('You have called get_weather')) run.warnedAt ??= run.given;
    const says = characters[name.split('-')[0] ?? ''];
    if (says === undefined) return { status: 404, json: { error: { message: `no model ${name}` } } };
    const said = says(run.given, run.warnedAt);
    run.given += 1;
    return modelReply(request, said);
  };
}
