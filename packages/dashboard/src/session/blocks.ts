import { eventTime } from '@loopwatch/contract';
import type { IncidentItem, SessionEvent } from '@loopwatch/contract/api';

/** An entry of the transcript: text chunks joined, or a call with its result. */
export interface Block {
  readonly kind: 'prompt' | 'answer' | 'thought' | 'call' | 'note' | 'unreadable';
  /** Indices of the first and the latest event; undefined for records without an index. */
  readonly first: number | undefined;
  readonly last: number | undefined;
  /** React key. */
  readonly key: string;
  /** Event time, epoch ms. */
  readonly time: number;
  /** Turn within its prompt, from 1; undefined if turns are not reported. */
  readonly turn: number | undefined;
  readonly text: string;
  readonly call?: CallBlock;
  /** What its turn used; of the last block of each turn. */
  readonly usage?: { readonly tokens: number; readonly usd: number | undefined };
  /** The events it was made from. */
  readonly events: readonly SessionEvent[];
}

export interface CallBlock {
  readonly name: string;
  /** JSON. */
  readonly args: string;
  readonly result: { readonly text: string; readonly failed: boolean } | undefined;
  /** From the call to its result. */
  readonly ms?: number;
}

interface Draft extends Omit<Block, 'last' | 'text' | 'call' | 'usage' | 'events'> {
  last: number | undefined;
  text: string;
  call?: CallBlock;
  usage?: NonNullable<Block['usage']>;
  events: SessionEvent[];
}

/** Groups a session's events, in order, into blocks. */
export function toBlocks(items: readonly SessionEvent[]): Block[] {
  const blocks: Draft[] = [];
  const pending = new Map<string, Draft>();
  let latestCall: Draft | undefined;
  let turn: number | undefined;
  for (const item of items) {
    if (item.duplicate) continue;
    const { event, eventIndex, timestamp, offset } = item;
    const index = eventIndex ?? undefined;
    const time = event === null ? timestamp : eventTime(event, timestamp);
    const start = (kind: Block['kind'], text: string): Draft => {
      const draft: Draft = {
        kind,
        first: index,
        last: index,
        key: `${offset} ${String(index)}`,
        time,
        turn,
        text,
        events: [item],
      };
      blocks.push(draft);
      return draft;
    };
    if (event === null) {
      start('unreadable', item.error ?? 'Could not read this record');
      continue;
    }
    const text = textOf(event['text']);
    const top = blocks.at(-1);
    switch (event.type) {
      case 'prompt_started':
        turn = undefined;
        start('prompt', text);
        break;
      case 'turn_started':
        turn = (turn ?? 0) + 1;
        break;
      case 'content':
      case 'thought': {
        const kind = event.type === 'content' ? 'answer' : 'thought';
        if (top?.kind === kind && top.turn === turn) {
          top.text += text;
          top.last = index;
          top.events.push(item);
        } else start(kind, text);
        break;
      }
      case 'tool_call_request': {
        latestCall = start('call', '');
        latestCall.call = { name: textOf(event['name']), args: jsonOf(event['args']), result: undefined };
        if (typeof event['callId'] === 'string') pending.set(event['callId'], latestCall);
        break;
      }
      case 'tool_result': {
        const { callId } = event;
        const call = typeof callId === 'string' ? pending.get(callId) : latestCall;
        const result = { text: jsonOf(event['result']), failed: event['isError'] === true };
        if (call?.call !== undefined && call.call.result === undefined) {
          call.call = { ...call.call, result, ms: Math.max(0, time - call.time) };
          call.last = index;
          call.events.push(item);
        } else if (index === 0 || blocks.length > 0) start('note', `Result without a call: ${result.text}`);
        // Else the page begins between the call and its result.
        break;
      }
      case 'retry':
        start('note', 'The turn was retried; its earlier output was discarded');
        break;
      case 'session_ended':
        start('note', 'Session ended');
        break;
      case 'control':
        start('note', `Session settings: ${controlText(event)}`);
        break;
      case 'turn_finished': {
        const usage = usageOf(event);
        if (top !== undefined && top.kind !== 'prompt' && usage !== undefined) top.usage = usage;
        break;
      }
      default:
        start('note', `Unknown event type ${event.type}`);
    }
  }
  return blocks;
}

/** Whether a block lies within a loop and is of the kind that loops. */
export function isInLoop(block: Block, item: IncidentItem): boolean {
  if (!isWithin(block, item)) return false;
  if (item.detector === 'content-repeat') return block.kind === 'answer';
  if (item.detector === 'thought-repeat') return block.kind === 'thought';
  if (item.tool !== null)
    return block.kind === 'call' && (item.period > 1 || block.call?.name === item.tool.name);
  return block.kind === 'call' || block.kind === 'answer' || block.kind === 'thought';
}

/** By event indexes; times serve only where there are none, because a session's clock may be wrong. */
function isWithin({ first, last, time }: Block, { began, lastIndex, lastAt, cost }: IncidentItem): boolean {
  if (first !== undefined && last !== undefined && began !== undefined && lastIndex !== undefined)
    return last >= began.eventIndex && first <= lastIndex;
  return time >= (began?.time ?? lastAt - cost.ms) && time <= lastAt;
}

function usageOf(event: Readonly<Record<string, unknown>>): Block['usage'] {
  const { usage, costUsd } = event;
  if (typeof usage !== 'object' || usage === null) return undefined;
  const { inputTokens, outputTokens } = usage as Record<string, unknown>;
  const tokens = numberOf(inputTokens) + numberOf(outputTokens);
  return { tokens, usd: typeof costUsd === 'number' && costUsd > 0 ? costUsd : undefined };
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function jsonOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

function controlText(event: Readonly<Record<string, unknown>>): string {
  const set = event['set'];
  const unset = event['unset'];
  const parts =
    typeof set === 'object' && set !== null
      ? Object.entries(set).map(([path, value]) => `${path} = ${JSON.stringify(value)}`)
      : [];
  if (Array.isArray(unset)) parts.push(...unset.map((path) => `${String(path)} reset`));
  return parts.join(', ') || 'no changes';
}
