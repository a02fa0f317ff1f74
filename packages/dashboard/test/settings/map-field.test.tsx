import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { MapField } from '../../src/settings/maps/MapField.tsx';
import { settingKey } from '../rows.ts';

const answer = () => Promise.resolve(new Response('{}', { status: 404 }));

beforeEach(() => {
  vi.stubGlobal('fetch', vi.fn(answer));
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

/** Renders the editor of a map. @returns what it holds now */
function edit(path: string, value: object, disabled = false): () => unknown {
  let text = JSON.stringify(value);
  function Holder() {
    const [held, setHeld] = useState(text);
    text = held;
    const setting = settingKey({ path, type: 'map' });
    return (
      <MapField
        id="x"
        setting={setting}
        text={held}
        disabled={disabled}
        problem={undefined}
        onChange={setHeld}
      />
    );
  }
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <QueryClientProvider client={client}>
      <Holder />
    </QueryClientProvider>,
  );
  return () => JSON.parse(text) as unknown;
}

const type = (field: HTMLElement, value: string) => fireEvent.change(field, { target: { value } });
const entry = (name: string) => within(screen.getByRole('group', { name }));

it('prices: adds a model, says beside each field what is wrong, and removes it again', () => {
  const held = edit('prices', { a: { input: 1, output: 2 } });
  const name = screen.getByLabelText('New model');
  type(name, 'a');
  expect(screen.getByText('a is listed already')).toBeDefined();
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Add' }).disabled).toBe(true);
  type(name, 'b');
  fireEvent.keyDown(name, { key: 'Enter' });
  const output = entry('b').getByLabelText('Output');
  expect(output.getAttribute('aria-invalid')).toBe('true');
  type(entry('b').getByLabelText('Input'), '0.5');
  type(output, '1.');
  expect(held()).toEqual({ a: { input: 1, output: 2 }, b: { input: 0.5, output: '1.' } });
  expect(entry('b').getByText('must be a number')).toBeDefined();
  type(output, '1.5');
  expect(held()).toEqual({ a: { input: 1, output: 2 }, b: { input: 0.5, output: 1.5 } });
  expect(output.getAttribute('aria-invalid')).toBe('false');
  fireEvent.click(screen.getByRole('button', { name: 'Remove b' }));
  expect(held()).toEqual({ a: { input: 1, output: 2 } });
});

it('tools: lists, choices and defaults', () => {
  const held = edit('per_tool', { ls: { volatile: ['time'], poller: true } });
  type(entry('ls').getByLabelText('Volatile'), 'time\n\nid');
  type(entry('ls').getByLabelText('Poller'), '');
  type(entry('ls').getByLabelText('Mutating'), 'false');
  expect(held()).toEqual({ ls: { volatile: ['time', 'id'], mutating: false } });
  type(entry('ls').getByLabelText('Volatile'), '');
  expect(held()).toEqual({ ls: { mutating: false } });
});

it('limits of tools: none is no limit, and the empty field the default', () => {
  const held = edit('tool_call_loop.per_tool', { ls: { ttl_seconds: 5 } });
  const ttl = entry('ls').getByLabelText('TTL (seconds)');
  type(ttl, 'none');
  expect(held()).toEqual({ ls: { ttl_seconds: null } });
  type(ttl, '');
  expect(held()).toEqual({ ls: {} });
});

it('agents: their tools are edited in place, and limits beside the entries stay', () => {
  const held = edit('agents', { max_depth: 2, coder: {} });
  type(entry('coder').getByLabelText('New tool'), 'ls');
  fireEvent.click(entry('coder').getByRole('button', { name: 'Add' }));
  type(entry('ls').getByLabelText('Poller'), 'true');
  expect(held()).toEqual({ max_depth: 2, coder: { tools: { ls: { poller: true } } } });
});

it('maps: can be edited as JSON, and not at all by viewers', () => {
  const held = edit('prices', { a: { input: 1, output: 2 } });
  fireEvent.click(screen.getByRole('button', { name: 'Edit as JSON' }));
  type(screen.getByRole('textbox'), '{"b":{"input":3,"output":4}}');
  expect(held()).toEqual({ b: { input: 3, output: 4 } });
  fireEvent.click(screen.getByRole('button', { name: 'Fields' }));
  expect(entry('b').getByLabelText<HTMLInputElement>('Input').value).toBe('3');
  cleanup();
  edit('prices', { a: { input: 1, output: 2 } }, true);
  expect(entry('a').getByLabelText<HTMLInputElement>('Input').disabled).toBe(true);
  expect(screen.queryByLabelText('New model')).toBeNull();
});
