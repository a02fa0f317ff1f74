import { describe, expect, it } from 'vitest';
import { parseJudgeAnswer } from '../../../src/index.ts';

const sound = { analysis: 'It reads the same file.', confidence: 0.95 };
const json = JSON.stringify(sound);

describe('an answer', () => {
  it.each([
    ['as asked for', json],
    ['with white space around', `\n  ${json}\n`],
    ['in a fence', `\`\`\`json\n${json}\n\`\`\``],
    ['after thinking aloud', `<think>confidence 0? {"confidence": 0}</think>\n${json}`],
    ['after thinking that quotes its own end', `<think>it says </think> {"confidence":0} …</think>${json}`],
    ['with more than asked for', JSON.stringify({ ...sound, reasoning: 'more' })],
  ])('%s is read', (_, text) => expect(parseJudgeAnswer(text)).toEqual(sound));

  it.each([
    ['nothing', ''],
    ['words', 'I am 95 % sure.'],
    ['words before it', `Here it is: ${json}`],
    ['words after it', `${json} I hope this helps.`],
    ['two answers', `${json}\n${json}`],
    ['cut off', json.slice(0, -4)],
    ['a list', `[${json}]`],
    ['no confidence', '{"analysis":"a loop"}'],
    ['no analysis', '{"confidence":0.95}'],
    ['a confidence in words', '{"analysis":"","confidence":"0.95"}'],
    ['a confidence of null', '{"analysis":"","confidence":null}'],
    ['a confidence above 1', '{"analysis":"","confidence":1.0001}'],
    ['a confidence in percent', '{"analysis":"","confidence":95}'],
    ['a confidence below 0', '{"analysis":"","confidence":-0.1}'],
    ['a confidence beyond numbers', '{"analysis":"","confidence":1e999}'],
    ['a confidence that is none', '{"analysis":"","confidence":NaN}'],
    ['thinking without an end', `<think>${json}`],
    ['an answer of its own after the thinking', `<think>a</think>{"confidence":0}</think>no`],
    ['far too long', JSON.stringify({ ...sound, analysis: 'x'.repeat(300_000) })],
  ])('that is %s is malformed', (_, text) =>
    expect(parseJudgeAnswer(text)).toEqual({ failure: 'malformed' }),
  );

  it.each([0, 0.9, 1])('may be %d', (confidence) => {
    expect(parseJudgeAnswer(JSON.stringify({ analysis: '', confidence }))).toEqual({
      analysis: '',
      confidence,
    });
  });

  it('is kept up to 4,000 units of analysis', () => {
    const answer = parseJudgeAnswer(JSON.stringify({ ...sound, analysis: 'x'.repeat(10_000) }));
    expect(answer).toEqual({ ...sound, analysis: 'x'.repeat(4000) });
  });
});
