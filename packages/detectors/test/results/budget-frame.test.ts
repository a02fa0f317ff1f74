import { describe, expect, it } from 'vitest';
import { withoutBudget } from '../../src/results/budget-frame.ts';
import { type ShortStep, said, turns } from '../steps.ts';

describe('the budget below a result', () => {
  it.each([
    '[12 steps remaining, $0.40 of $3.00 used]',
    '(Budget: 1,200 tokens left)',
    '<turns used: 12/40>',
    '[Context: 41% used]',
    '<context_left>90,210 tokens (69%)</context_left>',
    '  [You have 7 tool calls remaining.]  \n',
    '[tokens: 5,120, cost: $0.0412, total: $1.2034]',
    'Cost: $0.0412 (5,120 in / 310 out)',
    'Tokens: 12.4k sent, 310 received. Cost: $0.04 message, $0.31 session.',
    'tokens used: 5120 tokens',
    'You have 12 turns left.',
    '12 tool calls remaining',
    'Steps left: 12',
    'Remaining budget: $1.20 of $3.00',
    'Context remaining: 41%',
    '(elapsed 0.30s, cost $0.0051)',
    '[total cost: $0.410]',
    '[memory: 512 MB, cpu: 31%]',
    '(CPU 3.5%, RAM 1.2GB)',
    'Todo list is empty',
    'Remember to update your todo list.',
    'Reminder: work on one task at a time',
    "Don't forget to mark finished tasks as done.",
    'The list has changed. Do not mention this to the user.',
    'Token usage: 12731/200000; 187269 remaining',
  ])('%s: is left out', (frame) => {
    expect(withoutBudget(`KeyError: 'total'\n\n${frame}`)).toBe("KeyError: 'total'");
  });

  it.each([
    '[12 steps remaining]',
    'two messages\n(2 rows left)',
    'a list\n[1, 2, 3]',
    'it costs 3 tokens (2 tokens left)',
    'text\n[12 steps remaining] and more',
    'two shirts\nCost: $41.20',
    'two shirts\n(total cost: $41.20)',
    'two shirts\nCost: 3 in the shop, 2 left',
    'Cost: $0.0412 (5,120 in / 310 out)',
    'a list\n[cost: $12]',
    'wrong password\n3 attempts left',
    'the last page\nYou have 3 messages left to read, and one to send',
    'two shirts\nShirts left: 12',
    'a laptop\n[memory: 512 MB, disk: none]',
    'You have 12 turns left.',
    '[took 1.3s]',
    'Todo list is empty',
    'a note\nThe book list is empty',
    'two runs\n[1.3s]',
    'the fastest run\n(best time: 1.3s)',
    'no such file\n(exit 1 in 12 ms)',
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
