import { describe, expect, it } from 'vitest';
import { parseJudgeAnswer } from '../../../src/index.ts';

const sound = { analysis: 'It reads the same file.', confidence: 0.95 };
const json = JSON.stringify(sound);

describe('the answer of a judge', () => {
  it.each([
    ['in the requested form', json],
    ['surrounded by white space', `\n  ${json}\n`],
    ['in a code fence', `\`\`\`json\n${json}\n\`\`\``],
    ['after thinking aloud', `<think>confidence 0? {"confidence": 0}</think>\n${json}`],
    [
      'after thinking that contains a closing tag',
      `<think>it says </think> {"confidence":0} …</think>${json}`,
    ],
    ['with additional fields', JSON.stringify({ ...sound, reasoning: 'more' })],
  ])('is accepted: %s', (_, text) => expect(parseJudgeAnswer(text)).toEqual(sound));

  it.each([
    ['empty', ''],
    ['plain text', 'I am 95 % sure.'],
    ['text before the JSON', `Here it is: ${json}`],
    ['text after the JSON', `${json} I hope this helps.`],
    ['two JSON objects', `${json}\n${json}`],
    ['truncated', json.slice(0, -4)],
    ['a list', `[${json}]`],
    ['no confidence', '{"analysis":"a loop"}'],
    ['no analysis', '{"confidence":0.95}'],
    ['a confidence in words', '{"analysis":"","confidence":"0.95"}'],
    ['a confidence of null', '{"analysis":"","confidence":null}'],
    ['a confidence above 1', '{"analysis":"","confidence":1.0001}'],
    ['a confidence in percent', '{"analysis":"","confidence":95}'],
    ['a confidence below 0', '{"analysis":"","confidence":-0.1}'],
    ['an infinite confidence', '{"analysis":"","confidence":1e999}'],
    ['a confidence of NaN', '{"analysis":"","confidence":NaN}'],
    ['thinking that never ends', `<think>${json}`],
    ['text after the answer that follows the thinking', `<think>a</think>{"confidence":0}</think>no`],
    ['too long', JSON.stringify({ ...sound, analysis: 'x'.repeat(300_000) })],
  ])('is malformed: %s', (_, text) => expect(parseJudgeAnswer(text)).toEqual({ failure: 'malformed' }));

  it.each([0, 0.9, 1])('may have confidence %d', (confidence) => {
    expect(parseJudgeAnswer(JSON.stringify({ analysis: '', confidence }))).toEqual({
      analysis: '',
      confidence,
    });
  });

  it('keeps at most 4,000 units of analysis', () => {
    const answer = parseJudgeAnswer(JSON.stringify({ ...sound, analysis: 'x'.repeat(10_000) }));
    expect(answer).toEqual({ ...sound, analysis: 'x'.repeat(4000) });
  });
});
