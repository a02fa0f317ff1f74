import { canCompress } from '@loopwatch/log';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load-config.ts';
import { kafkaOptions } from '../../src/kafka/options.ts';
import { silentLogger } from '../../src/runtime/logger.ts';

const optionsWith = (compression: string) =>
  kafkaOptions(
    loadConfig({ set: ['kafka.brokers=k:9092', `kafka.compression=${compression}`] }, [], {}).settings,
    silentLogger(),
  );

describe('kafkaOptions', () => {
  it.each(['none', 'gzip', 'snappy', 'lz4'])('compress with %s', (compression) => {
    expect(optionsWith(compression)).toMatchObject({ compression });
  });

  it('compress with zstd where Node can, and say which version can elsewhere', () => {
    if (canCompress('zstd')) expect(optionsWith('zstd')).toMatchObject({ compression: 'zstd' });
    else
      expect(() => optionsWith('zstd')).toThrow(
        /kafka\.compression: zstd requires Node 22\.15, and this is 2/,
      );
  });
});
