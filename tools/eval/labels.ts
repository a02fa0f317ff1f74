import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { InputError } from './input-error.ts';

/** Judgement of a session by a careful reader; other fields (`pattern`, `chosen`, ...) are for people. */
const labelSchema = z.object({
  sessionId: z.string().min(1),
  verdict: z.enum(['loop', 'not_loop', 'borderline']),
  source: z.string().min(1).optional(),
  /** The tool call, counted from 0, at which the loop begins. */
  fromCall: z.int().nonnegative().nullish(),
  /** The tool call at which a reader recognizes the loop. */
  at: z.int().nonnegative().nullish(),
});

export type Label = z.infer<typeof labelSchema>;
export type LabelVerdict = Label['verdict'];

/** By session. */
export type Labels = ReadonlyMap<string, Label>;

/** The labels of all files, JSON lines. */
export function readLabels(files: readonly string[]): Labels {
  const labels = new Map<string, Label>();
  for (const file of files) {
    for (const [i, line] of readFileSync(file, 'utf8').split('\n').entries()) {
      if (line.trim() === '') continue;
      const place = `${file}:${String(i + 1)}`;
      const label = labelSchema.safeParse(parseJson(line, place));
      if (!label.success) throw new InputError(`${place}: ${faultOf(label.error)}`);
      const { sessionId } = label.data;
      if (labels.has(sessionId)) throw new InputError(`${place}: ${sessionId} has a label already`);
      labels.set(sessionId, label.data);
    }
  }
  if (labels.size === 0) throw new InputError(`${files.join(', ')}: no labels`);
  return labels;
}

function faultOf({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => `${path.join('.') || 'label'}: ${message}`).join('; ');
}

function parseJson(line: string, place: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new InputError(`${place}: not a JSON object`);
  }
}
