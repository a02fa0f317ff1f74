import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { type AgentEvent, eventSchema } from '@loopwatch/contract';

/** What a careful reader said of a session. */
export type Label = 'loop' | 'not_loop' | 'borderline';

/** Something given to the evaluation is wrong; the message names it. */
export class BadInput extends Error {
  override readonly name = 'BadInput';
}

/** `a.jsonl,folder/*.jsonl.gz`: the files, in order. `*` stands for any letters of a file's name. */
export function filesOf(patterns: string): string[] {
  return patterns.split(',').flatMap((pattern) => {
    if (!basename(pattern).includes('*')) {
      if (!existsSync(pattern)) throw new BadInput(`${pattern}: no such file`);
      return [pattern];
    }
    const folder = dirname(pattern);
    const parts = basename(pattern)
      .split('*')
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    const name = new RegExp(`^${parts.join('.*')}$`);
    const files = existsSync(folder) ? readdirSync(folder).filter((file) => name.test(file)) : [];
    if (files.length === 0) throw new BadInput(`${pattern}: no such file`);
    return files.toSorted().map((file) => join(folder, file));
  });
}

/** Labels by session: JSON lines of `{sessionId, verdict}`; what else a line says is for people. */
export function readLabels(file: string): Map<string, Label> {
  if (!existsSync(file)) throw new BadInput(`${file}: no such file`);
  const labels = new Map<string, Label>();
  for (const [i, line] of readFileSync(file, 'utf8').split('\n').entries()) {
    if (line.trim() === '') continue;
    const place = `${file}:${String(i + 1)}`;
    const { sessionId, verdict } = json(line, place) as { sessionId?: unknown; verdict?: unknown };
    if (typeof sessionId !== 'string') throw new BadInput(`${place}: a label needs a "sessionId"`);
    if (verdict !== 'loop' && verdict !== 'not_loop' && verdict !== 'borderline') {
      throw new BadInput(`${place}: "verdict" is ${String(verdict)}; allowed: loop, not_loop, borderline`);
    }
    if (labels.has(sessionId)) throw new BadInput(`${place}: ${sessionId} has a label already`);
    labels.set(sessionId, verdict);
  }
  if (labels.size === 0) throw new BadInput(`${file}: no labels`);
  return labels;
}

/** The events of a file, one a line, `.gz` or plain; sessions may be interleaved. */
export async function* readEvents(file: string): AsyncGenerator<AgentEvent & { readonly sessionId: string }> {
  const bytes = createReadStream(file);
  const input = file.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes;
  bytes.on('error', (error) => input.destroy(error));
  let number = 0;
  try {
    for await (const line of createInterface({ input })) {
      number += 1;
      if (line.trim() === '') continue;
      const place = `${file}:${String(number)}`;
      const event = eventSchema.safeParse(json(line, place));
      if (!event.success) throw new BadInput(`${place}: ${event.error.issues[0]?.message ?? 'no event'}`);
      const { sessionId } = event.data;
      if (typeof sessionId !== 'string') throw new BadInput(`${place}: an event needs a "sessionId" here`);
      yield { ...event.data, sessionId };
    }
  } catch (error) {
    if (error instanceof BadInput) throw error;
    throw new BadInput(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function json(line: string, place: string): object {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Said below.
  }
  throw new BadInput(`${place}: not a JSON object`);
}
