import { describe, expect, it } from 'vitest';
import { type Answer, cases } from './cases.ts';
import { doors, openDoors } from './doors.ts';

/*
 * A call is decided the same everywhere: by the library, `POST /decide`, a hook, a guard and the gateway; whether the
 * session was analyzed there or elsewhere.
 */

openDoors();

describe('a call is decided the same at each door, wherever the session was analyzed:', () => {
  it.each(cases.map((one, index) => ({ ...one, index })))('$title: $expected', async ({ index, ...one }) => {
    const answers: Record<string, Answer> = {};
    const asked = Object.entries(doors).filter(([door]) => !one.endsTurn || !door.startsWith('gateway'));
    for (const [door, ask] of asked) answers[door] = await ask(one, index);
    expect(answers).toEqual(Object.fromEntries(asked.map(([door]) => [door, one.expected])));
  });
});
