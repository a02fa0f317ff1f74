import type { SessionOutline } from '@loopwatch/contract/api';
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { SessionMap } from '../../src/session/map/SessionMap.tsx';
import { row } from '../rows.ts';

const outline: SessionOutline = {
  events: 100,
  bins: Array.from({ length: 10 }, (_, i) => ({
    index: i * 10,
    time: i * 10_000,
    calls: 5,
    failed: 0,
    tokens: 1_000,
    usd: 1,
  })),
  unpriced: false,
  complete: true,
  matches: [],
};
const loop = row({
  kind: 'loop',
  began: { eventIndex: 20, eventId: '#20', time: 20_000 },
  openedAt: 30_000,
  lastAt: 60_000,
  resolvedAt: 60_000,
});

afterEach(cleanup);

it.each([
  [false, /would have saved \$3\.00, 30% of the session\.$/],
  [true, /would have saved \$3\.00, 30% of the part\.$/],
])('the map of a session says of what it is a share, with parts: %s', (isPart, text) => {
  render(
    <SessionMap outline={outline} isPart={isPart} incidents={[loop]} at={undefined} onGo={() => undefined} />,
  );
  expect(screen.getByText(/Stopping at the first alarm/).textContent).toMatch(text);
});
