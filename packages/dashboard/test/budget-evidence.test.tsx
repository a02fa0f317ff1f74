import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { Evidence } from '../src/incident/evidence/index.tsx';
import { incident } from './rows.ts';

test('budget evidence: shows the use of each limit, and what the dollars exclude', () => {
  const evidence = {
    per: 'agent',
    subject: 'coder',
    uses: [
      { resource: 'usd', used: 8.5, limit: 10 },
      { resource: 'tokens', used: 41_200, limit: 100_000 },
      { resource: 'minutes', used: 12.9, limit: 60 },
      { resource: 'minutes', used: 0.669, limit: 0.5 },
    ],
    unpricedTurns: 2,
  };
  render(<Evidence incident={incident({ detector: 'budget', kind: 'limit', evidence })} />);
  expect(screen.getAllByRole('progressbar').map((bar) => bar.getAttribute('aria-label'))).toEqual([
    'Dollars: $8.50 of $10.00',
    'Tokens: 41.2k of 100k',
    'Minutes: 12 of 60',
    'Minutes: 0.66 of 0.5',
  ]);
  expect(screen.getByText('for coder; warning at 80%')).toBeDefined();
  expect(screen.getByText(/excludes 2 turns whose model has no price/)).toBeDefined();
});
