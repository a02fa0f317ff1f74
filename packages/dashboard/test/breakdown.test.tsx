import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { Change } from '../src/breakdown/Change.tsx';
import { GroupTable } from '../src/breakdown/GroupTable.tsx';
import { readBreakdown } from '../src/breakdown/search.ts';
import { dashboardApp } from './dashboard-app.tsx';

dashboardApp();

it.each<[now: number, before: number | null, shown: string]>([
  [12, 10, '↑ 20%up 20%'],
  [5, 10, '↓ 50%down 50%'],
  [10, 10, '0%unchanged'],
  [10, 0, 'new'],
  [0, 0, ''],
  [109, 10, '↑ 990%up 990%'],
  [2_500, 1, '↑ to 2,500×up to 2,500×'],
])('breakdown: %d after %s is shown as a change of "%s"', (now, before, shown) => {
  expect(render(<Change now={now} before={before} />).container.textContent).toBe(shown);
});

it('breakdown: shows a tenth of a small rate', () => {
  const activity = {
    sessions: 300,
    calls: 9,
    tokens: null,
    usd: null,
    unpriced: 0,
    priced: 0,
    usdSquares: null,
  };
  const total = { incidents: 1, sessions: 1, calls: 5, tokens: null, usd: null, unpriced: 0, activity };
  const apart = { limits: 0, outages: 0 };
  const breakdown = {
    groupBy: 'agent',
    from: 0,
    to: 1,
    previous: null,
    groups: [],
    other: null,
    total,
    apart,
  };
  render(<GroupTable breakdown={breakdown} view={readBreakdown({})} onSort={() => undefined} />);
  const names = screen.getAllByRole('columnheader').map(({ textContent }) => textContent);
  const all = screen.getAllByRole('row').at(-1);
  expect(all?.children[names.indexOf('Per 100 sessions')]?.textContent).toBe('0.3');
});
