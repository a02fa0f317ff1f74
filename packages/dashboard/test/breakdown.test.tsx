import { render } from '@testing-library/react';
import { expect, it } from 'vitest';
import { Change } from '../src/breakdown/Change.tsx';
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
