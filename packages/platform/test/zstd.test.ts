import { Readable } from 'node:stream';
import { zstdFrame } from '@loopwatch/testkit';
import { expect, it } from 'vitest';
import { createZstdDecompress, ZstdError } from '../src/index.ts';

const MEBIBYTE = 2 ** 20;
const text = Buffer.from('a loop, a loop, a loop');
/** A frame with a window, and one block of a byte that is repeated ten times. */
const framed = (windowLog: number) =>
  Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, (windowLog - 10) << 3, (10 << 3) | 3, 0, 0, 0x78]);

async function decompress(chunks: Buffer[]): Promise<string> {
  const contents = Readable.from(chunks).compose(createZstdDecompress(MEBIBYTE));
  const read: Buffer[] = [];
  for await (const block of contents) read.push(block as Buffer);
  return Buffer.concat(read).toString();
}

it('zstd is decompressed wherever its bytes are divided', async () => {
  const frames = Buffer.concat([zstdFrame(text), zstdFrame(text)]);
  for (const size of [1, 7, 30, frames.length]) {
    const chunks = Array.from({ length: Math.ceil(frames.length / size) }, (_, n) =>
      frames.subarray(n * size, (n + 1) * size),
    );
    expect(await decompress(chunks)).toBe(`${String(text)}${String(text)}`);
  }
});

it.each<[string, Buffer, ZstdError['code']]>([
  ['cut inside a block', zstdFrame(text).subarray(0, -3), 'ZSTD_truncated'],
  ['cut inside the header', zstdFrame(text).subarray(0, 4), 'ZSTD_truncated'],
  ['no zstd', Buffer.from('nothing that zstd has written'), 'ZSTD_error'],
  ['a window that is too large', framed(21), 'ZSTD_window'],
  ['a window of gigabytes', framed(31), 'ZSTD_window'],
  ['a second frame with a window that is too large', Buffer.concat([framed(20), framed(21)]), 'ZSTD_window'],
])('zstd that cannot be decompressed: %s', async (_, bytes, code) => {
  const failure: unknown = await decompress([bytes]).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ZstdError);
  expect(failure).toMatchObject({ code });
});
