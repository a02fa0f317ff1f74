import { detectionSchema } from '@loopwatch/contract';
import { describe, expect, test } from 'vitest';
import { planDetection, presets } from '../src/index.ts';
import { blockMessage, closingReason, toolGuidance } from '../src/texts.ts';

const { tool } = planDetection(detectionSchema.parse({ preset: 'similar' }));
const { tool: exact } = planDetection(detectionSchema.parse({ preset: 'stream' }));

describe('the guidance for a model', () => {
  const text = toolGuidance('search_web', '{"query":"trams"}', 3, tool);
  test.each([
    ['the pattern and its window', /search_web 3 times within 300 seconds with nearly the same parameters/],
    ['to check tool, name and parameters', /right tool and that its name and every parameter are correct/],
    ['to stop and think first', /Stop and think before the next call/],
    ['another way after failure or no progress', /failed, or brought nothing new, .* take another way/],
    ['tools only where strictly needed', /only if the next step strictly needs one/],
    ['what was attempted', /search_web with arguments \{"query":"trams"\}/],
    ['one corrected call or an explanation', /one corrected tool call, or with an explanation in words/],
  ])('says %s', (_, wording) => {
    expect(text).toMatch(wording);
  });
});

describe('the message for a user', () => {
  test.each([
    [tool, "'read' invoked with similar params 3 times within 300s."],
    [exact, "'read' invoked with identical params 3 times in a row."],
  ])('names tool, count and window', (options, wording) => {
    expect(blockMessage('read', 3, options)).toBe(
      `Tool call loop detected: ${wording} Session stopped to prevent unintended looping. ` +
        'Adjust the inputs or try another approach.',
    );
  });
});

test.each([
  ['disabled', /switched off/],
  ['ended', /ended/],
  ['recovered', /streamed again/],
] as const)('a detector that closes as %s says why', (outcome, why) => {
  expect(closingReason(outcome)).toMatch(why);
});

test('the presets of the use cases have a text each', () => {
  const texts = Object.values(presets).map(({ description }) => description);
  expect(new Set(texts).size).toBe(texts.length);
});
