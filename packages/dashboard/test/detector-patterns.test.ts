import { detectorIds } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import { detectorPatterns, patternMask } from '../src/ui/lib/detector-patterns.ts';

describe('patterns of detectors', () => {
  it('differ from each other', () => {
    expect(new Set(Object.values(detectorPatterns)).size).toBe(detectorIds.length);
  });

  it.each(detectorIds)('of %s are a mask that a style sheet can hold', (id) => {
    const mask = patternMask(detectorPatterns[id]);
    const svg = decodeURIComponent(/^url\("data:image\/svg\+xml,([^"]+)"\)$/.exec(mask)?.[1] ?? '');
    expect(svg).toMatch(/^<svg xmlns='[^']+' width='6' height='6'>.+<\/svg>$/);
    expect(svg).toContain(`<path d='${detectorPatterns[id]}' stroke=`);
  });
});
