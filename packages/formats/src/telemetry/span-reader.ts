import { Conversations } from '../record/conversation.ts';
import type { Reading, SessionEvent, Stamp } from '../record/format.ts';
import { textOf } from '../record/json.ts';
import { keyOf } from '../record/known-calls.ts';
import type { Message } from '../record/message.ts';
import { keyOfSpan, type Signal } from '../record/signal.ts';
import type { TelemetryMemory } from '../record/telemetry-memory.ts';
import { textId } from '../record/text-id.ts';
import { agentOf, costOf, modelOf, usageOf } from './span-facts.ts';
import { isBesideResponse, kindOf } from './span-kind.ts';
import { inputOf, outputOf } from './span-messages.ts';
import { resultsOf, sideOf, toolOf } from './tool-facts.ts';
import { ToolStarts } from './tool-starts.ts';

/** The start or the end of a span, or what the model answered in between. */
export interface Part {
  readonly time: number | undefined;
  readonly read: () => Reading;
}

/** Reads spans of one exporter as parts, each with its own time. */
export class SpanReader {
  /** Histories can contain arguments that the tool's schema has completed, unlike those of the response. */
  readonly #conversations: Conversations;
  readonly #memory: TelemetryMemory;

  constructor(memory: TelemetryMemory) {
    this.#memory = memory;
    this.#conversations = new Conversations({ hasStableArgs: false, answers: memory.answers });
  }

  /** The start and the end of a span, to be read in order of time. */
  partsOf(span: Signal, sessionId: string | undefined, tools = new ToolStarts([])): Part[] {
    const kind = kindOf(span);
    const nothing = (type: string) => [{ time: span.start, read: () => ({ events: [], ignored: [type] }) }];
    if (kind === undefined) return nothing(span.name);
    if (sessionId === undefined) return nothing(`${span.name} without a session`);
    const { start, end } = span;
    const own = { model: modelOf(span), agent: agentOf(span) };
    const key = keyOfSpan(span);
    const stamp: Stamp = {
      sessionId,
      time: start,
      ...(span.logged === 'alone' ? (this.#memory.stampOf(key) ?? own) : own),
    };
    if (kind === 'model') {
      if (span.logged !== 'alone') this.#memory.learnSpan(key, own);
      return this.#partsOfModel(span, stamp, tools);
    }
    if (kind === 'execution') return partsOfExecution(span, stamp);
    if (kind === 'results') return [{ time: end ?? start, read: () => this.#readResults(span, stamp) }];
    const tool = toolOf(span);
    if (this.#memory.tools.isReported(span.traceId ?? '', sideOf(span, tool))) return nothing(span.name);
    const { name, args, result, isError, callId: ownId } = tool;
    const calls = this.#memory.callsOf(sessionId);
    const spanId = span.spanId ?? textId(JSON.stringify([name, start, args]));
    let callId = ownId;
    const call = (): Reading => {
      const ids = { id: spanId, parentId: span.parentId };
      callId = calls.ofSpan(ids, ownId, name, args === undefined ? undefined : keyOf(args));
      // Calls with unknown arguments are not the same call.
      const own = args === undefined ? { argsHash: callId } : { args };
      const inSession = { ...stamp, sessionId: calls.sessionOf(callId) ?? sessionId };
      const id = `call:${callId}`;
      return { events: [{ ...inSession, id, type: 'tool_call_request', callId, name, ...own }], ignored: [] };
    };
    const parts: Part[] = [{ time: start, read: call }];
    const outcome = result === '' ? (span.error ?? result) : (result ?? span.error);
    if (outcome === undefined) return parts;
    const isFailed = isError ?? (span.error === undefined ? undefined : true);
    const finish = (): Reading => {
      const id = `result:${callId ?? spanId}`;
      const finished = { ...stamp, sessionId: calls.sessionOf(callId) ?? sessionId, time: end ?? start };
      return {
        events: [{ ...finished, id, type: 'tool_result', callId, result: outcome, isError: isFailed }],
        ignored: [],
      };
    };
    return [...parts, { time: end ?? start, read: finish }];
  }

  /** The results of calls without ids, in the order of the calls. */
  #readResults(span: Signal, stamp: Stamp): Reading {
    const calls = this.#memory.callsOf(stamp.sessionId);
    const events = resultsOf(span).map(({ result, isError }, i): SessionEvent => {
      const own = `${span.spanId ?? ''}.${String(i)}`;
      const callId = calls.ofMessageResult(own, undefined);
      const time = span.end ?? span.start;
      return { ...stamp, time, id: `result:${callId ?? own}`, type: 'tool_result', callId, result, isError };
    });
    return { events, ignored: [] };
  }

  #partsOfModel(span: Signal, stamp: Stamp, tools: ToolStarts): Part[] {
    const { start, end, turn } = span;
    const id = textOf(span.attributes['request_id']) ?? span.spanId;
    const input = turn === 'bare' ? [] : inputOf(span);
    const output = turn === 'bare' ? [] : outputOf(span);
    const usage = usageOf(span);
    const costUsd = costOf(span);
    const part = (time: number | undefined, readEvents: () => SessionEvent[]): Part => ({
      time,
      read: () => ({ events: readEvents(), ignored: [] }),
    });
    if (isBesideResponse(span)) {
      const read = () => this.#readMessages([...input, ...output], span, stamp, '');
      return [part(start, () => read().filter(({ type }) => !type.startsWith('turn_')))];
    }
    const isLogged = span.logged !== undefined;
    // The turn is that of the span, which may arrive later and alone has the usage.
    const isOfSpan = isLogged || turn !== undefined;
    const isPart = ({ type }: SessionEvent) => !isOfSpan || !type.startsWith('turn_');
    const history = () => this.#readMessages(input, span, stamp, '').filter(isPart);
    // The calls would belong to the latest turn if theirs had been reported with the span before.
    const isLate = span.logged === 'alone' && this.#memory.stampOf(keyOfSpan(span)) !== undefined;
    const turnId = id && `${id}.${isLate ? 'logged' : 'turn'}`;
    const started = part(start, () => [...history(), { ...stamp, id: turnId, type: 'turn_started' }]);
    const finished = part(end ?? start, () => [
      { ...stamp, time: end ?? start, id: id && `${id}.end`, type: 'turn_finished', usage, costUsd },
    ]);
    if (isLogged) this.#memory.learnLogged(stamp.sessionId);
    // The turn starts with its messages if they are expected in log records.
    else if (output.length === 0 && input.length === 0 && this.#memory.isLogged(stamp.sessionId))
      return [finished];
    const hasEnd = span.logged !== 'alone' && !(turn === 'of span' && usage === undefined);
    const around = turn === 'known' ? [part(start, history)] : [started];
    const after = turn === 'known' || !hasEnd ? [] : [finished];
    if (output.length === 0) return [...around, ...after];
    const time = tools.timeOf(output, span) ?? start;
    const answer = output.map((message) =>
      message.role === 'assistant' ? { ...message, usage, costUsd } : message,
    );
    // A response without a recorded history is identified by its span.
    const seed = input.length === 0 ? (id ?? '') : '';
    const answered = part(time, () =>
      this.#readMessages([...input, ...answer], span, { ...stamp, time }, seed).filter(isPart),
    );
    return isOfSpan ? [...around, answered, ...after] : [part(start, history), answered];
  }

  #readMessages(
    messages: readonly Message[],
    { traceId = '' }: Signal,
    stamp: Stamp,
    seed: string,
  ): SessionEvent[] {
    const calls = this.#memory.callsOf(stamp.sessionId);
    const prompts = messages.flatMap((message) => (message.role === 'user' ? [message.text] : []));
    return this.#conversations.read(messages, stamp, seed).map((event) => {
      // DSPy and text-based agents send what was done so far as part of one prompt, again with each request.
      if (event.type === 'prompt_started' && this.#memory.isGrown(traceId, event.text ?? '', prompts))
        return { ...event, origin: 'harness' };
      if (event.type === 'tool_call_request') {
        const { id, name, args, callId } = event;
        const known = calls.ofMessage(
          String(id).replace(/^call:/, ''),
          callId ?? undefined,
          name,
          keyOf(args),
        );
        const sessionId = calls.sessionOf(known) ?? stamp.sessionId;
        return { ...event, sessionId, id: `call:${known}`, callId: known };
      }
      if (event.type !== 'tool_result') return event;
      const { id, callId } = event;
      const known = calls.ofMessageResult(String(id).replace(/^result:/, ''), callId ?? undefined);
      if (known === undefined) return event;
      const sessionId = calls.sessionOf(known) ?? stamp.sessionId;
      return { ...event, sessionId, id: `result:${known}`, callId: known };
    });
  }
}

/** Claude Code: what failed in a call, whose own span says nothing of it. */
function partsOfExecution({ attributes: a, error, start, end }: Signal, stamp: Stamp): Part[] {
  const callId = textOf(a['gen_ai.tool.call.id']);
  const result = textOf(a['error']) ?? error;
  if (callId === undefined || result === undefined) return [];
  const time = end ?? start;
  const event = { ...stamp, time, id: `result:${callId}`, callId, result, isError: true } as const;
  return [{ time, read: () => ({ events: [{ ...event, type: 'tool_result' }], ignored: [] }) }];
}
