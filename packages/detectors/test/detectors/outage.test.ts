import { describe, expect, it } from 'vitest';
import { said, turns } from '../steps.ts';

const timeouts = (line: (n: number) => string) =>
  turns(
    ...Array.from(
      { length: 5 },
      (_, n) => ['bash', 'Error: command timed out after 120 seconds', { command: line(n) }] as const,
    ),
  );

describe('timeouts in a row', () => {
  it('are an outage', () => {
    expect(said(timeouts((n) => `curl https://api.example/orders/${String(n)}`))[0]).toMatch(
      /^outage opened/,
    );
  });

  it.each([
    ['until', (n: number) => `until curl -sf http://localhost:80${String(n)}0/; do sleep 5; done`],
    ['while', (n: number) => `while ! test -f /srv/done-${String(n)}\ndo sleep 2\ndone`],
  ])('are none if the command itself waits: %s', (_, line) => {
    expect(said(timeouts(line))).toEqual([]);
  });
});
