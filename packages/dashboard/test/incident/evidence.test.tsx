import { fireEvent, render, screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { Evidence } from '../../src/incident/evidence/index.tsx';
import { dashboardApp } from '../dashboard-app.tsx';
import { incident, NOW } from '../rows.ts';

dashboardApp();

/** The call of event n. */
const at = (n: number, call: object) => ({ eventIndex: n, eventId: `e-${String(n)}`, time: NOW, ...call });

describe('evidence', () => {
  it('of calls shows a line of calls, and the differences between the first and the latest', () => {
    const call = (n: number) => at(n, { name: 'search', arguments: `{"q":"a","page":${String(n)}}` });
    render(
      <Evidence
        incident={incident({ count: 6, evidence: { matching: 'similar', calls: [call(1), call(2)] } })}
      />,
    );
    const lines = screen.getAllByRole('img', { name: '6 calls of search, detected at call 5' });
    expect(lines.length).toBeGreaterThan(0);
    const pair = screen.getByRole('region', { name: 'First and latest call' });
    expect([...pair.querySelectorAll('mark')].map((mark) => mark.textContent)).toEqual(['1', '2']);
  });

  it('of calls says first only of the first one: a long loop keeps no evidence of it', () => {
    const call = (step: number) => at(step * 2, { name: 'search', arguments: '{}', step });
    const evidence = { matching: 'exact', calls: [call(68), call(125), call(126)] };
    render(<Evidence incident={incident({ count: 126, evidence })} />);
    const pair = screen.getByRole('region', { name: 'Earlier and latest call' });
    expect(within(pair).getByText('Call 68')).toBeTruthy();
    expect(within(pair).getByText('Call 126')).toBeTruthy();
  });

  it('of steps with several calls compares matching calls, and counts steps throughout', () => {
    const step = (n: number, first = n * 10) =>
      ['kitchen', 'tea', 'lamp'].map((item, i) => ({
        eventIndex: first + i,
        eventId: `e-${String(first + i)}`,
        time: NOW + n,
        name: 'get_price',
        arguments: JSON.stringify({ item }),
        step: n,
        member: i + 1,
        result: { text: `${item} is 12 euros`, kind: 'ok' },
      }));
    const evidence = { matching: 'exact', callsPerStep: 3, calls: [...step(1), ...step(4), ...step(5)] };
    const opened: number[] = [];
    render(
      <Evidence incident={incident({ count: 5, threshold: 3, evidence })} onOpen={(at) => opened.push(at)} />,
    );
    expect(screen.getByText(/^5 identical steps of 3 calls each so far/)).toBeTruthy();
    const pair = screen.getByRole('region', { name: 'First and latest step' });
    expect(pair.querySelectorAll('mark')).toHaveLength(0);
    expect(within(pair).getByText('same calls, same results')).toBeTruthy();
    expect([...pair.querySelectorAll('h3')].map((head) => head.firstChild?.textContent)).toEqual([
      'Step 1, call 1',
      'Step 5, call 1',
      'Step 1, call 2',
      'Step 5, call 2',
      'Step 1, call 3',
      'Step 5, call 3',
    ]);

    const [line] = screen.getAllByRole('slider');
    expect(line!.querySelectorAll('circle')).toHaveLength(15);
    fireEvent.focus(line!);
    fireEvent.keyDown(line!, { key: 'End' });
    expect(line!.getAttribute('aria-valuetext')).toMatch(
      /^Step 5, .*event #50 · get_price \{"item":"kitchen"\}/,
    );
    fireEvent.keyDown(line!, { key: 'Enter' });
    expect(opened).toEqual([50]);
  });

  it('of calls marks failures, and escapes bidirectional control characters', () => {
    const call = (n: number, kind: string) =>
      at(n, {
        name: 'run',
        arguments: '{"file":"\u202Egpj.exe"}',
        step: n,
        result: { text: 'no \u2066such file', kind },
      });
    const { container } = render(
      <Evidence
        incident={incident({
          count: 2,
          evidence: { matching: 'exact', calls: [call(1, 'ok'), call(2, 'error')] },
        })}
      />,
    );
    const [line] = screen.getAllByRole('slider');
    expect(line!.querySelectorAll('circle[data-failed]')).toHaveLength(1);
    expect(container.textContent).toContain('[U+202E]gpj.exe');
    expect(screen.getByRole('region', { name: 'First and latest call' }).textContent).not.toMatch(
      /[\u202E\u2066]/,
    );
  });

  it('of calls shows the results of the first and the latest', () => {
    const call = (n: number, text: string, kind = 'ok') =>
      at(n, { name: 'ci_status', arguments: '{}', result: { text, kind } });
    const show = (...calls: unknown[]) => {
      const { unmount } = render(
        <Evidence incident={incident({ evidence: { matching: 'exact', calls } })} />,
      );
      const [card] = screen.getAllByRole('region').slice(-1);
      const found = {
        note: card!.querySelector('p')?.textContent,
        headings: [...card!.querySelectorAll('h4')].map((heading) => heading.textContent),
        marks: [...card!.querySelectorAll('mark')].map((mark) => mark.textContent),
        text: card!.textContent,
      };
      unmount();
      return found;
    };
    const same = show(call(1, 'pending'), call(2, 'pending'));
    expect(same).toMatchObject({
      note: 'same call, same result',
      headings: ['Result', 'Result'],
      marks: [],
    });
    expect(same.text).toContain('pending');
    expect(show(call(1, '{"left":3}'), call(2, '{"left":2}'))).toMatchObject({
      note: 'differences are highlighted',
      marks: ['3', '2'],
    });
    expect(show(call(1, 'no such file', 'error'), call(2, ''))).toMatchObject({
      headings: ['Result: failed', 'Result'],
    });
    expect(show({ ...call(1, ''), result: undefined }, call(2, 'a'))).toMatchObject({
      note: 'same call',
      headings: ['Result'],
      marks: [],
    });
    expect(show(call(1, 'alone')).text).toContain('alone');
  });

  it('of text marks the repetitions', () => {
    const evidence = {
      at: 14,
      window: { length: 6, text: 'again ' },
      distance: 6,
      positions: [2, 8],
      repeated: 'again ',
      excerpt: { from: 0, text: 'I again again ' },
    };
    render(<Evidence incident={incident({ detector: 'content-repeat', count: 2, evidence })} />);
    const context = screen.getByRole('region', { name: 'Context' });
    expect([...context.querySelectorAll('mark')].map((mark) => mark.textContent)).toEqual([
      'again ',
      'again ',
    ]);
    expect(screen.getByRole('img', { name: '2 repetitions from character 2 to 14' })).toBeTruthy();
  });

  it('of a cycle draws the cycle', () => {
    const cycle = [
      { name: 'read', arguments: '{"p":"a"}', text: 'same' },
      { name: 'edit', arguments: '{}', text: '' },
    ];
    render(
      <Evidence
        incident={incident({
          detector: 'tool-cycle',
          count: 4,
          period: 2,
          evidence: { results: 'same', cycle, calls: [] },
        })}
      />,
    );
    expect(screen.getByRole('img', { name: 'Cycle of 2 steps: read, then edit, then again' })).toBeTruthy();
    expect(screen.getByText('always returns')).toBeTruthy();
  });

  it('of stagnation shows an unchanging result only once', () => {
    const call = (n: number) =>
      at(n, { name: 'find', arguments: `{"q":${String(n)}}`, result: { text: 'nothing found', kind: 'ok' } });
    const evidence = { rule: 'nothing-new', calls: [call(1), call(2), call(3)] };
    render(<Evidence incident={incident({ detector: 'stagnation', evidence })} />);
    expect(screen.getByRole('region', { name: 'No new results' })).toBeTruthy();
    expect(screen.getAllByText('nothing found')).toHaveLength(1);
    expect(screen.getByText('Same result every time')).toBeTruthy();
  });

  it('of the semantic layer quotes the model', () => {
    const evidence = { analysis: 'It <b>waits</b>.', shown: { from: 12, to: 31 }, threshold: 0.9 };
    render(<Evidence incident={incident({ detector: 'semantic', confidence: 0.94, evidence })} />);
    expect(screen.getByText('It <b>waits</b>.').tagName).toBe('BLOCKQUOTE');
    expect(screen.getByText('turns 12 to 31')).toBeTruthy();
    expect(screen.getByText('94%')).toBeTruthy();
  });

  it('of a request limit shows the requests and the latest calls', () => {
    const evidence = { turn_requests: 10, max_allowed: 10, last_tool_calls: ['grep TODO'] };
    render(<Evidence incident={incident({ detector: 'turn-limit', count: 10, evidence })} />);
    expect(screen.getByRole('img', { name: '10 of 10 model requests' })).toBeTruthy();
    expect(screen.getByText('grep TODO')).toBeTruthy();
  });

  it('of a repeated message shows only that message', () => {
    const evidence = { rule: 'same-message', repeated: 'Done.', calls: [] };
    render(<Evidence incident={incident({ detector: 'stagnation', evidence })} />);
    expect(screen.getAllByRole('region')).toHaveLength(1);
    expect(within(screen.getByRole('region', { name: 'Repeated text' })).getByText('Done.')).toBeTruthy();
  });

  it('of the tool limit shows the message to the model', () => {
    const evidence = { limit_reached: true, limit_message: 'Stopping tool loop.' };
    render(<Evidence incident={incident({ detector: 'tool-limit', count: 3, threshold: 3, evidence })} />);
    expect(screen.getByRole('img', { name: '3 of 3 turns with tool calls' })).toBeTruthy();
    expect(screen.getByText('Stopping tool loop.', { selector: 'p' })).toBeTruthy();
  });

  it('of a limit of one names it in the singular', () => {
    const evidence = { limit_reached: true, limit_message: 'Stopping tool loop.' };
    render(<Evidence incident={incident({ detector: 'tool-limit', count: 1, threshold: 1, evidence })} />);
    expect(screen.getByText('1 turn with tool calls allowed per prompt')).toBeTruthy();
  });

  it('of calls says what is cut off, and leads to the whole of it', () => {
    const call = (n: number) =>
      at(n, { name: 'write', arguments: 'x'.repeat(512), result: { text: 'y'.repeat(400), kind: 'ok' } });
    const opened: number[] = [];
    render(
      <Evidence
        incident={incident({ count: 2, evidence: { matching: 'exact', calls: [call(1), call(2)] } })}
        onOpen={(event) => opened.push(event)}
      />,
    );
    const pair = screen.getByRole('region', { name: 'First and latest call' });
    expect(pair.textContent.match(/x…|y…/g)).toEqual(['x…', 'y…', 'x…', 'y…']);
    fireEvent.click(within(pair).getByRole('button', { name: 'event #2' }));
    expect(opened).toEqual([2]);
  });

  it('of stagnation says how many calls it leaves out', () => {
    const call = (step: number) => at(step, { name: 'read', arguments: '{}', step });
    const evidence = { rule: 'same-error', calls: [call(1), call(4), call(5)] };
    render(<Evidence incident={incident({ detector: 'stagnation', count: 5, evidence })} />);
    expect(screen.getAllByText(/not shown/).map(({ textContent }) => textContent)).toEqual([
      '2 steps in between not shown',
    ]);
  });

  it('of an outage shows the failed calls', () => {
    const result = { text: '503', kind: 'transient' };
    const call = { eventIndex: 1, eventId: 'e', time: NOW, name: 'get', arguments: '{}', result };
    render(<Evidence incident={incident({ detector: 'outage', evidence: { calls: [call] } })} />);
    expect(screen.getByRole('region', { name: 'Failed calls' }).textContent).toContain('503');
  });

  it.each([
    ['of another detector', { matching: 'exact', calls: [] }],
    ['of another version', { analysis: { text: 'It waits.' } }],
    ['with only the action', { lastAction: 'warn' }],
  ])('%s is shown as JSON', (_, evidence) => {
    render(<Evidence incident={incident({ detector: 'semantic', evidence })} />);
    expect(screen.getByRole('region', { name: 'Evidence' }).textContent).toContain(Object.keys(evidence)[0]);
    expect(screen.queryByText('Evidence as JSON')).toBeNull();
  });

  it('of an unknown shape is shown as searchable JSON', () => {
    const evidence = { judge: { score: 0.9, words: 'needle' } };
    render(<Evidence incident={incident({ detector: 'semantic', evidence })} />);
    expect(screen.getByText('0.9')).toBeTruthy();
    fireEvent.change(screen.getByRole('searchbox'), { target: { value: 'needle' } });
    expect(document.querySelector('mark')?.textContent).toBe('needle');
    fireEvent.click(screen.getByRole('button', { name: 'Raw' }));
    expect(screen.getByText(/"score": 0.9/)).toBeTruthy();
  });

  it('is omitted if empty', () => {
    const { container } = render(<Evidence incident={incident()} />);
    expect(container.textContent).toBe('');
  });
});
