import { describe, expect, it } from 'vitest';
import { Turns } from '../../src/record/turns.ts';

const DAY = 86_400_000;
const at = (time: number) => ({ sessionId: 's', time });

describe('the turns of a producer that does not mark them', () => {
  it.each([
    ['a prompt', (turns: Turns) => turns.finish(at(DAY), 'p')],
    ['the next output', (turns: Turns) => turns.output(at(DAY), 'o')],
    ['the end of the file', (turns: Turns) => turns.end()],
  ])('end at their latest output or result, although %s comes days later', (_, next) => {
    const turns = new Turns();
    turns.output(at(1), 'a');
    turns.toolResult(at(2));
    expect(next(turns)[0]).toMatchObject({ ...at(2), type: 'turn_finished', usage: undefined });
  });

  it('do not end under the id of their usage report where a file is cut before it', () => {
    const [first, second] = [new Turns(), new Turns()];
    for (const turns of [first, second]) turns.output(at(1), 'a');
    const [cut] = first.end();
    const [whole] = second.finish(at(3), 'u', { inputTokens: 1 });
    expect([cut?.id, whole?.id]).toEqual(['a.cut', 'a.end']);
  });

  it('end when their usage is reported', () => {
    const turns = new Turns();
    turns.output(at(1), 'a');
    expect(turns.finish(at(3), 'u', { inputTokens: 1 })).toMatchObject([
      { time: 3, usage: { inputTokens: 1 } },
    ]);
  });
});
