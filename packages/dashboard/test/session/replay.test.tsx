import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Block } from '../../src/session/blocks.ts';
import { Replay } from '../../src/session/Replay.tsx';
import { NOW, row } from '../rows.ts';

const STEPS = 4;
const loop = row({
  began: { eventIndex: 100, eventId: 'e-100', time: NOW },
  lastAt: NOW + 2 * (STEPS - 1),
});
const blocks = Array.from({ length: STEPS }, (_, i): Block => {
  const first = 100 + 2 * i;
  return {
    kind: 'call',
    first,
    last: first + 1,
    key: String(first),
    time: NOW + 2 * i,
    turn: undefined,
    text: '',
    call: { name: 'read_file', args: '{}', result: undefined },
    events: [],
  };
});

/** A page whose URL names an event, with a list of events to go to elsewhere. */
function Page({ at: start }: { readonly at?: number }) {
  const [at, setAt] = useState(start);
  return (
    <>
      <output>{at}</output>
      <button type="button" onClick={() => setAt(7)}>
        Elsewhere
      </button>
      <Replay blocks={blocks} loop={loop} at={at} onGo={setAt} />
    </>
  );
}

const shown = () => Number(screen.getByRole('status').textContent);
const click = (name: string) => fireEvent.click(screen.getByRole('button', { name }));
/** Lets each step of the replay render before the time of the next one passes. */
const pass = (steps: number) => {
  for (let i = 0; i < steps; i++) act(() => void vi.advanceTimersByTime(700));
};

describe('the replay of a loop', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    cleanup();
    vi.useRealTimers();
  });

  it('plays from the shown step to the last one', () => {
    render(<Page at={100} />);
    click('Play through the loop');
    pass(2);
    expect(shown()).toBe(104);
    pass(10);
    expect(shown()).toBe(106);
    click('Play through the loop');
    expect(shown()).toBe(100);
    pass(1);
    expect(shown()).toBe(102);
  });

  it('pauses, and stays where it is', () => {
    render(<Page at={100} />);
    click('Play through the loop');
    pass(1);
    click('Pause');
    pass(10);
    expect(shown()).toBe(102);
  });

  it.each([
    ['while it plays', 1],
    ['after its last step', 10],
  ])('ends when another event is opened %s', (_, steps) => {
    render(<Page at={100} />);
    click('Play through the loop');
    pass(steps);
    click('Elsewhere');
    pass(10);
    expect(shown()).toBe(7);
  });

  it('ends at a step back', () => {
    render(<Page at={100} />);
    click('Play through the loop');
    pass(10);
    click('Previous step of the loop');
    pass(10);
    expect(shown()).toBe(104);
  });
});
