import { type DetectionInput, detectionSchema } from '@loopwatch/contract';
import { describe, expect, test } from 'vitest';
import type { ToolRepeatOptions } from '../../src/detectors/tool-repeat/options.ts';
import { planDetection } from '../../src/plan/make-plan.ts';

type CallSettings = NonNullable<DetectionInput['tool_call_loop']>;

const plan = (settings: DetectionInput) => planDetection(detectionSchema.parse(settings));

describe('per-tool settings', () => {
  const general: CallSettings = {
    max_repeats: 6,
    ttl_seconds: 60,
    mode: 'warn',
    similarity: { algorithm: 'jaccard', threshold: 0.7, normalize_whitespace: true, ignore_case: true },
    error_messages: { block: 'Stop.', warning: 'Careful.' },
  };
  const similarity = {
    algorithm: 'jaccard',
    threshold: 0.7,
    normalizeWhitespace: true,
    ignoreCase: true,
  } as const;
  const whole: ToolRepeatOptions = {
    enabled: true,
    threshold: 6,
    ttlMs: 60_000,
    mode: 'warn',
    similarity,
    blockText: 'Stop.',
    warningText: 'Careful.',
  };
  const ofTool = (own: NonNullable<CallSettings['per_tool']>[string]) =>
    plan({ preset: 'stream', tool_call_loop: { ...general, per_tool: { search: own } } });

  test.each<[NonNullable<CallSettings['per_tool']>[string], Partial<ToolRepeatOptions>]>([
    [{}, {}],
    [{ enabled: false }, { enabled: false }],
    [{ max_repeats: 2 }, { threshold: 2 }],
    [{ ttl_seconds: 9 }, { ttlMs: 9000 }],
    [{ ttl_seconds: null }, { ttlMs: null }],
    [{ mode: 'break' }, { mode: 'block' }],
    [{ similarity_threshold: 1 }, { similarity: { ...similarity, threshold: 1 } }],
    [{ similarity: {} }, {}],
    [{ similarity: { threshold: 0.8 } }, { similarity: { ...similarity, threshold: 0.8 } }],
    [
      { similarity: { threshold: 0.8 }, similarity_threshold: 0.9 },
      { similarity: { ...similarity, threshold: 0.8 } },
    ],
    [
      { similarity: { algorithm: 'levenshtein' } },
      { similarity: { ...similarity, algorithm: 'levenshtein' } },
    ],
    [
      { similarity: { normalize_whitespace: false } },
      { similarity: { ...similarity, normalizeWhitespace: false } },
    ],
    [{ similarity: { ignore_case: false } }, { similarity: { ...similarity, ignoreCase: false } }],
  ])('%j override the general ones key by key', (own, changed) => {
    const { tool, perTool } = ofTool(own);
    expect(tool).toEqual(whole);
    expect(perTool.get('search')).toEqual({ ...whole, ...changed });
  });

  test('enable similar matching for that tool only, with its defaults', () => {
    const { tool, perTool } = plan({
      preset: 'stream',
      tool_call_loop: { per_tool: { search: { similarity: {} }, read: { max_repeats: 9 } } },
    });
    expect([tool.similarity, perTool.get('read')?.similarity]).toEqual([null, null]);
    expect(perTool.get('search')?.similarity).toEqual({
      algorithm: 'levenshtein',
      threshold: 0.9,
      normalizeWhitespace: false,
      ignoreCase: false,
    });
  });
});
