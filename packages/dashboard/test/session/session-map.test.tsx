import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { SessionMap } from '../../src/session/map/SessionMap.tsx';
import { loop, outline } from './outlines.ts';

afterEach(cleanup);

it.each([
  [false, /would have saved \$3\.00, 30% of the session\.$/],
  [true, /would have saved \$3\.00, 30% of the part\.$/],
])('the map of a session says of what it is a share, with parts: %s', (isPart, text) => {
  render(
    <SessionMap
      outline={outline}
      isPart={isPart}
      incidents={[loop()]}
      at={undefined}
      onGo={() => undefined}
    />,
  );
  expect(screen.getByText(/Stopping at the first alarm/).textContent).toMatch(text);
});
