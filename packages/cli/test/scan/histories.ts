import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { tempDir } from '@loopwatch/testkit';
import { onTestFinished } from 'vitest';

/** A folder with these files, removed after the test; objects become lines of JSON. */
export async function folderOf(
  files: Readonly<Record<string, string | Buffer | readonly object[]>>,
): Promise<string> {
  const dir = await tempDir();
  onTestFinished(() => dir.remove());
  for (const [name, content] of Object.entries(files)) {
    const path = join(dir.path, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, Array.isArray(content) ? jsonLines(content) : (content as string | Buffer));
  }
  return dir.path;
}

/** Runs as a user without the rights of an administrator, whom no permission stops. */
export async function unprivileged<T>(run: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return run();
  process.seteuid?.(65_534);
  try {
    return await run();
  } finally {
    process.seteuid?.(0);
  }
}

function jsonLines(records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

/** A Claude Code session that reads the same missing file repeatedly. */
export function claudeLoop(
  sessionId: string,
  count: number,
  prefix = sessionId,
  start = Date.UTC(2026, 10, 1, 10),
): object[] {
  return Array.from({ length: count }, (_, i) => {
    const id = `${prefix}-${String(i)}`;
    const timestamp = new Date(start + i * 1_000).toISOString();
    const usage = { input_tokens: 10, cache_read_input_tokens: 1000, output_tokens: 5 };
    const use = { type: 'tool_use', id: `t${id}`, name: 'Read', input: { file_path: '/w/missing.ts' } };
    const result = {
      type: 'tool_result',
      tool_use_id: `t${id}`,
      content: 'File does not exist.',
      is_error: true,
    };
    const message = { id: `m${id}`, role: 'assistant', model: 'claude-sonnet-4-5', content: [use], usage };
    return [
      { type: 'assistant', uuid: `a${id}`, parentUuid: null, sessionId, timestamp, message },
      {
        type: 'user',
        uuid: `r${id}`,
        parentUuid: `a${id}`,
        sessionId,
        timestamp,
        message: { role: 'user', content: [result] },
      },
    ];
  }).flat();
}
