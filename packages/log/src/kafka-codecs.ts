import { decompress as decompressZstd } from 'fzstd';
import kafkajs from 'kafkajs';
import snappy from 'kafkajs-snappy';
import { compressFrame, decompressFrame } from 'lz4-napi';
import { LogError } from './errors.ts';

/** What kafkajs asks of a codec: whole record batches in, whole record batches out. */
interface Codec {
  compress(encoder: { readonly buffer: Buffer }): Promise<Buffer>;
  decompress(buffer: Buffer): Promise<Buffer>;
}

const lz4: Codec = {
  compress: ({ buffer }) => compressFrame(buffer),
  decompress: (buffer) => decompressFrame(buffer),
};

const zstd: Codec = {
  compress: () =>
    Promise.reject(
      new LogError(
        'request_failed',
        'Cannot write zstd: this codec only reads. Send with gzip, snappy or lz4.',
      ),
    ),
  decompress: (buffer) => {
    const { buffer: bytes, byteOffset, byteLength } = decompressZstd(buffer);
    return Promise.resolve(Buffer.from(bytes, byteOffset, byteLength));
  },
};

/**
 * Makes topics readable whatever their producers compress with. kafkajs brings gzip; snappy, lz4 and zstd come from
 * packages without native builds. Calling it again changes nothing.
 */
export function registerCodecs(): void {
  const { CompressionCodecs, CompressionTypes } = kafkajs;
  CompressionCodecs[CompressionTypes.Snappy] = snappy;
  CompressionCodecs[CompressionTypes.LZ4] = () => lz4;
  CompressionCodecs[CompressionTypes.ZSTD] = () => zstd;
}
