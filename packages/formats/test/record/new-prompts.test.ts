import { expect, it } from 'vitest';
import type { Message } from '../../src/record/message.ts';
import { NewPrompts } from '../../src/record/new-prompts.ts';

const says = (text: string): Message => ({ role: 'user', text });
const answer: Message = { role: 'assistant', text: 'Yes.', calls: [] };
const called: Message = { role: 'assistant', calls: [{ id: 'c', name: 'ls', args: {} }] };
const result: Message = { role: 'tool', results: [{ id: 'c', result: 'none' }] };

it.each<[string, readonly [string | undefined, ...Message[]][], (string | undefined)[]]>([
  [
    'that a trace begins with',
    [
      ['a', says('one')],
      ['b', says('one')],
      ['c', says('one'), answer, says('two')],
    ],
    ['one', 'one', 'two'],
  ],
  [
    'that continues a conversation in one trace',
    [
      ['a', says('one')],
      ['a', says('one'), called, result],
      ['a', says('one'), called, result, answer, says('two')],
    ],
    ['one', undefined, 'two'],
  ],
  [
    'without traces',
    [
      [undefined, says('one')],
      [undefined, says('one'), answer, says('two')],
    ],
    ['one', 'two'],
  ],
])('a prompt %s is new', (_, requests, expected) => {
  const prompts = new NewPrompts();
  expect(requests.map(([trace, ...messages]) => prompts.in(messages, 's', trace))).toEqual(expected);
});

it.each<[string, Message[]]>([
  ['repeats the request', [says('one')]],
  ['is the task of a sub-agent', [says('look for it')]],
  ['grows, as that of an agent that works with plain text', [says('one\nThought: I look.')]],
  ['follows an answer of another conversation', [says('look'), answer, says('and then?')]],
])('a prompt is not new if it %s', (_, messages) => {
  const prompts = new NewPrompts();
  expect(prompts.in([says('one')], 's', 'a')).toBe('one');
  expect(prompts.in(messages, 's', 'a')).toBeUndefined();
});
