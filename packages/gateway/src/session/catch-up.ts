import type { DetectionPlan } from '@loopwatch/detectors/internal';
import type { ToolCall } from '../api/conversation.ts';
import { callKey } from './history.ts';
import type { HistoryEntry } from './prompt-ledger.ts';

/** Polls a minute apart wait: detection has more patience with them. */
const UNKNOWN_GAP_MS = 60_000;

/**
 * Times for a history that the gateway has not seen growing. When its calls were made is unknown, so time must not be
 * evidence: turns are a minute apart. If calls expire, one that returned something else than before is taken to come
 * after the one before has expired; calls that returned the same may have been made at once, so their loop goes on.
 *
 * @param now time of the latest turn, epoch ms
 * @returns the time of each entry
 */
export function unknownTimes(entries: readonly HistoryEntry[], now: number, plan: DetectionPlan): number[] {
  const gaps = gapsOf(entries, plan);
  const length = gaps.reduce((sum, gap) => sum + gap, 0);
  let time = now - length;
  let turn = 0;
  return entries.map(({ type }) => {
    if (type === 'turn') {
      time += gaps[turn] ?? 0;
      turn += 1;
    }
    return time;
  });
}

/** The time before each turn. */
function gapsOf(entries: readonly HistoryEntry[], plan: DetectionPlan): number[] {
  const gaps: number[] = [];
  const results = new Map<string, string>();
  let calls: ToolCall[] = [];
  for (const entry of entries) {
    const turn = gaps.length - 1;
    if (entry.type === 'turn') {
      gaps.push(0);
      calls = [];
    } else if (entry.type === 'call') {
      calls.push(entry.call);
      if (turn > 0 && ttlOf(entry.call, plan) === null) gaps[turn] = UNKNOWN_GAP_MS;
    } else if (entry.type === 'result') {
      const found = calls.findIndex(({ id }) => id === entry.callId);
      const [call] = calls.splice(Math.max(0, found), 1);
      if (call === undefined) continue;
      const key = callKey(call);
      const text = JSON.stringify(entry.result);
      const before = results.get(key);
      if (before !== undefined && before !== text)
        gaps[turn] = Math.max(gaps[turn] ?? 0, (ttlOf(call, plan) ?? 0) + 1);
      results.set(key, text);
    }
  }
  return gaps;
}

function ttlOf({ name }: ToolCall, { tool, perTool }: DetectionPlan): number | null {
  return (perTool.get(name) ?? tool).ttlMs;
}
