import { Transform } from 'node:stream';
import { Decompress } from 'fzstd';

/** Why bytes cannot be decompressed; `code` has the form of the codes of `node:zlib`. */
export class ZstdError extends Error {
  override readonly name = 'ZstdError';
  readonly code: 'ZSTD_error' | 'ZSTD_truncated' | 'ZSTD_window';

  constructor(code: ZstdError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/**
 * Creates a decoder of zstd (RFC 8878), which Node itself has from version 22 on.
 *
 * @param onBlock gets each block of the contents
 * @param maxWindow largest window of a frame, bytes; the library allocates it, and copies it for each block
 * @returns takes the next bytes. It throws what `onBlock` throws, and a ZstdError, after which it must not be called again
 */
export function zstdDecoder(
  onBlock: (block: Uint8Array) => void,
  maxWindow: number,
): (bytes: Uint8Array, isLast: boolean) => void {
  let thrown: unknown;
  const tooLarge = (options?: ErrorOptions): ZstdError =>
    new ZstdError(
      'ZSTD_window',
      `the zstd window is larger than ${String(maxWindow / 2 ** 20)} MiB`,
      options,
    );
  const checkWindow = (): void => {
    if (windowOf(decoder) > maxWindow) throw tooLarge();
  };
  const decoder = new Decompress((block) => {
    try {
      checkWindow();
      onBlock(block);
    } catch (error) {
      thrown = error;
      throw error;
    }
  });
  return (bytes, isLast) => {
    try {
      decoder.push(bytes, isLast);
    } catch (error) {
      if (error === thrown) throw error;
      // A window that cannot be allocated.
      if (error instanceof RangeError) throw tooLarge({ cause: error });
      // Without further bytes, only their absence can be wrong.
      const code = isLast && bytes.length === 0 ? 'ZSTD_truncated' : 'ZSTD_error';
      throw new ZstdError(code, String(error), { cause: error });
    }
    checkWindow();
  };
}

/** A stream from zstd to its contents. @param maxWindow see {@link zstdDecoder} */
export function createZstdDecompress(maxWindow: number): Transform {
  const decode = zstdDecoder((block) => stream.push(block), maxWindow);
  const attempt = (bytes: Uint8Array, isLast: boolean, done: (error?: Error) => void): void => {
    try {
      decode(bytes, isLast);
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    done();
  };
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      attempt(chunk, false, done);
    },
    flush(done) {
      attempt(new Uint8Array(0), true, done);
    },
  });
  return stream;
}

/** The window of the current frame, bytes, which the library has only in an internal field. */
function windowOf(decoder: Decompress): number {
  const { s: frame } = decoder as unknown as { readonly s?: { readonly w?: Uint8Array } | number };
  return typeof frame === 'object' ? (frame.w?.length ?? 0) : 0;
}
