import { promisify } from 'node:util';
import { gzip, unzip } from 'node:zlib';
import { messageOf } from '@loopwatch/contract';
import { decompress as decompressZstd } from 'fzstd';
import kafkajs from 'kafkajs';
import { compressFrame, decompressFrame } from 'lz4-napi';
import snappy from 'snappyjs';
import { LogError } from './errors.ts';
import { unpackSnappy } from './snappy-blocks.ts';

/** What kafkajs asks of a codec: whole record batches in, whole record batches out. */
interface Codec {
  compress(encoder: { readonly buffer: Buffer }): Promise<Buffer>;
  decompress(buffer: Buffer): Promise<Buffer>;
}

type Pack = (bytes: Buffer) => Buffer | Promise<Buffer>;

const codecs = {
  GZIP: codec('gzip', promisify(gzip), promisify(unzip)),
  Snappy: codec('snappy', (bytes) => snappy.compress(bytes), unpackSnappy),
  LZ4: codec('lz4', compressFrame, decompressFrame),
  ZSTD: codec('zstd', readOnly, (bytes) => {
    const { buffer, byteOffset, byteLength } = decompressZstd(bytes);
    return Buffer.from(buffer, byteOffset, byteLength);
  }),
} as const;

/**
 * Makes topics readable whatever their producers compress with: gzip by Node; snappy, lz4 and zstd come from packages
 * without native builds. Calling it again changes nothing.
 */
export function registerCodecs(): void {
  const { CompressionCodecs, CompressionTypes } = kafkajs;
  for (const name of Object.keys(codecs) as (keyof typeof codecs)[]) {
    CompressionCodecs[CompressionTypes[name]] = () => codecs[name];
  }
}

function codec(name: string, pack: Pack, unpack: Pack): Codec {
  return {
    compress: async ({ buffer }) => pack(buffer),
    decompress: async (buffer) => {
      try {
        return await unpack(buffer);
      } catch (error) {
        throw new LogError(
          'request_failed',
          `what was compressed with ${name} is damaged (${messageOf(error)})`,
          {
            cause: error,
          },
        );
      }
    },
  };
}

function readOnly(): never {
  throw new LogError(
    'request_failed',
    'Cannot write zstd: this codec only reads. Send with gzip, snappy or lz4.',
  );
}
