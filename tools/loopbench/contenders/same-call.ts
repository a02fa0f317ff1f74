import { canonicalJson } from '@loopwatch/detectors/internal';
import type { Contender } from './contender.ts';

/** The rule that most agents have: this many identical calls in a row, whatever they return. */
export function sameCallInARow(times: number): Contender {
  return {
    name: `${String(times)} identical calls in a row`,
    version: '-',
    note: 'the rule of Roo Code (4), Cline (5) and others, without their handling of modes',
    reports(events) {
      let last = '';
      let count = 0;
      for (const event of events) {
        if (event.type !== 'tool_call_request') continue;
        const call = `${String(event['name'])} ${canonicalJson(event['args'])}`;
        count = call === last ? count + 1 : 1;
        last = call;
        if (count >= times) return true;
      }
      return false;
    },
  };
}
