import { settingsSchema } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { blocksCheckedBy } from '../../src/documented/index.ts';

describe('documentation', () => {
  it.each(blocksCheckedBy(import.meta.url))('$page, $title: is a valid configuration', ({ text }) => {
    expect(settingsSchema.safeParse(parse(text)).error?.issues ?? []).toEqual([]);
  });

  it('documentation: an unknown key would be rejected', () => {
    expect(settingsSchema.safeParse(parse('tool_call_loop:\n  max_repeat: 3\n')).success).toBe(false);
  });
});
