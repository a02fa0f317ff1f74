import { expect, it } from 'vitest';
import { historyItems } from '../../src/api/history.ts';

const user = (content: string) => ({ role: 'user', content });
const reply = (content: string) => ({ role: 'assistant', content });
const result = (content: string) => ({ role: 'tool', tool_call_id: 'c', content });
/** Of the Responses API, whose items of one reply become one message. */
const said = (text: string) => ({ type: 'message', role: 'assistant', content: text });
const called = (name: string) => ({ type: 'function_call', call_id: name, name, arguments: '{}' });

const [question, answer, first, second, note] = [
  user('Which?'),
  reply('This.'),
  result('1'),
  result('2'),
  user('And?'),
];
const [text, call, other] = [said('Let me look.'), called('one'), called('two')];

it.each([
  ['grows', [[question], [question, answer], [question, answer, first, second]]],
  [
    'grows within a reply of several items',
    [
      [question, text],
      [question, text, call],
      [question, text, call, other],
    ],
  ],
  [
    'is sent again',
    [
      [question, answer],
      [question, answer],
      [question, answer],
    ],
  ],
  ['loses its end', [[question, answer, first], [question], [question, second]]],
  [
    'loses its beginning',
    [
      [question, answer, first],
      [first, second],
      [first, second, note],
    ],
  ],
  [
    'is edited in the middle',
    [
      [question, answer, first],
      [question, user('Edited'), first, note],
    ],
  ],
  [
    'branches',
    [
      [question, answer],
      [question, answer, first],
      [question, answer, second],
      [question, answer, note],
    ],
  ],
  [
    'repeats an element',
    [
      [question, answer],
      [question, answer, question, answer],
      [answer, question],
    ],
  ],
  [
    'has values that are no elements',
    [
      [question, null, answer],
      [question, null, answer, 7, first],
    ],
  ],
])('a history that %s has the items of one that is read for the first time', (_, histories) => {
  for (const history of histories)
    expect(historyItems(history)).toEqual(historyItems(structuredClone(history)));
});

it('what a request repeats is the same items', () => {
  const [before] = historyItems([question, answer]);
  expect(historyItems([question, answer, first])[0]).toBe(before);
});
