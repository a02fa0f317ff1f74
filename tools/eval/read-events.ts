import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import type { AgentEvent } from '@loopwatch/contract';
import { decodeEvent } from '@loopwatch/contract/check';
import { InputError } from './input-error.ts';

/** The events of a file, one per line, `.gz` or plain; sessions may be interleaved. */
export async function* readEvents(file: string): AsyncGenerator<{ sessionId: string; event: AgentEvent }> {
  const bytes = createReadStream(file);
  const input = file.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes;
  bytes.on('error', (error) => input.destroy(error));
  let number = 0;
  try {
    for await (const line of createInterface({ input })) {
      number += 1;
      if (line.trim() === '') continue;
      const decoded = decodeEvent({ text: line, key: null });
      if (!decoded.ok) throw new InputError(`${file}:${String(number)}: ${decoded.message}`);
      yield decoded;
    }
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
