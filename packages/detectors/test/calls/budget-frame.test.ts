import { describe, expect, it } from 'vitest';
import { withoutBudget } from '../../src/calls/budget-frame.ts';
import { type ShortStep, said, turns } from '../steps.ts';

describe('the budget below a result', () => {
  it.each([
    '[12 steps remaining, $0.40 of $3.00 used]',
    '(Budget: 1,200 tokens left)',
    '<turns used: 12/40>',
    '[Context: 41% used]',
    '  [You have 7 tool calls remaining.]  \n',
  ])('%s: is left out', (frame) => {
    expect(withoutBudget(`KeyError: 'total'\n\n${frame}`)).toBe("KeyError: 'total'");
  });

  it.each([
    '[12 steps remaining]',
    'two messages\n(2 rows left)',
    'a list\n[1, 2, 3]',
    'it costs 3 tokens (2 tokens left)',
    'text\n[12 steps remaining] and more',
  ])('%s: is an answer', (text) => {
    expect(withoutBudget(text)).toBe(text);
  });

  it('hides no loop', () => {
    const steps = Array.from(
      { length: 6 },
      (_, n): ShortStep => [
        'bash',
        `KeyError: 'total' in the report\n[${40 - n} steps remaining]`,
        { command: 'python report.py' },
      ],
    );
    expect(said(turns(...steps))[0]).toMatch(/^tool-repeat opened chance 3$/);
  });
});
