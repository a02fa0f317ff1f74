import { describe, expect, it } from 'vitest';
import { resolveSettings } from '../../src/internal.ts';

describe('result_noise template', () => {
  const faultsOf = (template: string) => {
    const agents = { mine: { result_noise: [template] } };
    const resolved = resolveSettings({ file: { name: 'f', value: { agents } }, environment: {}, flags: {} });
    return resolved.ok ? '' : resolved.errors.join('; ');
  };

  it.each(['Took {number} of {number} s', 'Built: {word}, {number}', 'at least {text}'])(
    'accepts %s',
    (template) => {
      expect(faultsOf(template)).toBe('');
    },
  );

  it.each([
    ['Took {number}{number}{number}!', 'more than digits and dots between two placeholders'],
    ['Took {number}1.{number}!', 'more than digits and dots between two placeholders'],
    ['    {number}!', 'must start with at least four literal characters'],
    ['abc{number}', 'must start with at least four literal characters'],
  ])('rejects %s, which could take disproportionate time to match', (template, why) => {
    expect(faultsOf(template)).toContain(why);
  });
});
