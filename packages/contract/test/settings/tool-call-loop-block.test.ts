import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { fromFile, sound } from './resolving.ts';

describe("the tool_call_loop block as the proxy's documentation writes it", () => {
  it.each<[string, string, object]>([
    [
      'the general one',
      `
# config.yaml
tool_call_loop:
  enabled: true
  max_repeats: 3
  ttl_seconds: 300
  mode: "block"  # Options: block, warn, chance_then_block
  similarity_threshold: 0.9  # 0.0-1.0, higher means more similar
`,
      { enabled: true, max_repeats: 3, ttl_seconds: 300, mode: 'block', similarity_threshold: 0.9 },
    ],
    ['block', '# config.yaml\ntool_call_loop:\n  mode: "block"\n', { mode: 'block' }],
    ['warn', '# config.yaml\ntool_call_loop:\n  mode: "warn"\n', { mode: 'warn' }],
    [
      'chance_then_block',
      '# config.yaml\ntool_call_loop:\n  mode: "Chance_Then_Block"\n',
      { mode: 'chance_then_block' },
    ],
    [
      'custom messages',
      `
# config.yaml
tool_call_loop:
  error_messages:
    block: "Tool call blocked due to repetitive pattern. Please try a different approach."
    warning: "Warning: This tool call pattern has been repeated multiple times."
`,
      {
        error_messages: {
          block: 'Tool call blocked due to repetitive pattern. Please try a different approach.',
          warning: 'Warning: This tool call pattern has been repeated multiple times.',
        },
      },
    ],
    [
      'per tool',
      `
# config.yaml
tool_call_loop:
  per_tool:
    search_web:
      max_repeats: 2
    get_weather:
      max_repeats: 5
`,
      { per_tool: { search_web: { max_repeats: 2 }, get_weather: { max_repeats: 5 } } },
    ],
    [
      'similarity',
      `
# config.yaml
tool_call_loop:
  similarity:
    algorithm: "levenshtein"  # Options: levenshtein, jaccard
    threshold: 0.9
    normalize_whitespace: true
    ignore_case: true
`,
      {
        similarity: {
          algorithm: 'levenshtein',
          threshold: 0.9,
          normalize_whitespace: true,
          ignore_case: true,
        },
      },
    ],
    [
      'strict',
      `
# config.yaml
tool_call_loop:
  enabled: true
  max_repeats: 2
  ttl_seconds: 180
  mode: "block"
  similarity_threshold: 0.8
`,
      { enabled: true, max_repeats: 2, ttl_seconds: 180, mode: 'block', similarity_threshold: 0.8 },
    ],
    [
      'lenient',
      `
# config.yaml
tool_call_loop:
  enabled: true
  max_repeats: 4
  ttl_seconds: 600
  mode: "chance_then_block"
  similarity_threshold: 0.95
`,
      {
        enabled: true,
        max_repeats: 4,
        ttl_seconds: 600,
        mode: 'chance_then_block',
        similarity_threshold: 0.95,
      },
    ],
    [
      'development',
      `
# config.yaml
tool_call_loop:
  enabled: true
  max_repeats: 5
  ttl_seconds: 300
  mode: "warn"
  similarity_threshold: 0.9
`,
      { enabled: true, max_repeats: 5, ttl_seconds: 300, mode: 'warn', similarity_threshold: 0.9 },
    ],
  ])('%s', (_, text, block) => {
    expect(sound(fromFile(parse(text))).settings.tool_call_loop).toEqual(block);
  });
});
