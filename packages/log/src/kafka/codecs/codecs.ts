import { promisify } from 'node:util';
import zlib, { gzip, unzip } from 'node:zlib';
import { messageOf } from '@loopwatch/contract';
import kafkajs, { type CompressionTypes } from 'kafkajs';
import { compressFrame, decompressFrame } from 'lz4-napi';
import snappy from 'snappyjs';
import { LogError } from '../../port/errors.ts';
import { lz4Size } from './lz4-size.ts';
import { unpackSnappy } from './snappy-blocks.ts';
import { UnpackedTooLarge } from './unpacked-too-large.ts';
import { unpackZstd } from './zstd-blocks.ts';

/** The codec interface of kafkajs: whole record batches in, whole record batches out. */
interface Codec {
  compress(encoder: { readonly buffer: Buffer }): Promise<Buffer>;
  decompress(buffer: Buffer): Promise<Buffer>;
}

type Pack = (bytes: Buffer) => Buffer | Promise<Buffer>;
type Unpack = (bytes: Buffer, limit: number) => Promise<Buffer>;

/** Maximum uncompressed size of a record batch: four times the largest record that the `events` topic accepts. */
export const MAX_BATCH_BYTES = 64 * 1024 * 1024;
/** Chunk size of gzip decompression in the thread pool. */
const GZIP_CHUNK_BYTES = 256 * 1024;

const unpackGzip = promisify<Buffer, { maxOutputLength: number; chunkSize: number }, Buffer>(unzip);

/** Node can compress with zstd since 22.15; its types for older versions do not have the function. */
const { zstdCompress } = zlib as { zstdCompress?: typeof gzip };
const packZstd = zstdCompress === undefined ? undefined : promisify<Buffer, Buffer>(zstdCompress);

/** Compression of record batches, by the name that Kafka's own producers use. */
const compressionTypes = { none: 'None', gzip: 'GZIP', snappy: 'Snappy', lz4: 'LZ4', zstd: 'ZSTD' } as const;
export type Compression = keyof typeof compressionTypes;

/** The number of a compression in the requests of kafkajs. */
export function compressionType(compression: Compression = 'none'): CompressionTypes {
  return kafkajs.CompressionTypes[compressionTypes[compression]];
}

/** Whether this version of Node can write with a compression; all can be read. */
export function canCompress(compression: Compression): boolean {
  return compression !== 'zstd' || packZstd !== undefined;
}

const codecs = {
  GZIP: codec('gzip', promisify(gzip), async (bytes, limit) => {
    try {
      return await unpackGzip(bytes, { maxOutputLength: limit, chunkSize: GZIP_CHUNK_BYTES });
    } catch (error) {
      const isTooLarge =
        error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
      throw isTooLarge ? new UnpackedTooLarge(limit) : error;
    }
  }),
  Snappy: codec('snappy', (bytes) => snappy.compress(bytes), unpackSnappy),
  LZ4: codec('lz4', compressFrame, async (bytes, limit) => {
    if (lz4Size(bytes, limit) > limit) throw new UnpackedTooLarge(limit);
    return decompressFrame(bytes);
  }),
  ZSTD: codec('zstd', packZstd ?? readOnly, unpackZstd),
} as const;

/**
 * Registers codecs for all compression types of Kafka: gzip from Node, the others from packages that need no build tools.
 * Idempotent.
 */
export function registerCodecs(): void {
  const { CompressionCodecs, CompressionTypes } = kafkajs;
  for (const name of Object.keys(codecs) as (keyof typeof codecs)[]) {
    CompressionCodecs[CompressionTypes[name]] = () => codecs[name];
  }
}

function codec(name: string, pack: Pack, unpack: Unpack): Codec {
  return {
    compress: async ({ buffer }) => pack(buffer),
    decompress: async (buffer) => {
      try {
        return await unpack(buffer, MAX_BATCH_BYTES);
      } catch (error) {
        if (error instanceof UnpackedTooLarge) throw error;
        throw new LogError(
          'request_failed',
          `data compressed with ${name} is damaged (${messageOf(error)})`,
          {
            cause: error,
          },
        );
      }
    },
  };
}

function readOnly(): never {
  throw new LogError('request_failed', 'Compressing with zstd requires Node 22.15. Use gzip, snappy or lz4.');
}
