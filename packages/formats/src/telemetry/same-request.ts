import { textOf } from '../record/json.ts';
import { keyOfSpan, type Signal } from '../record/signal.ts';
import type { RequestReading, TelemetryMemory } from '../record/telemetry-memory.ts';
import { usageOf } from './span-facts.ts';
import { DETAILS, isBesideResponse, kindOf } from './span-kind.ts';
import { inputOf, outputOf } from './span-messages.ts';

/**
 * The signals as they are to be read, with each request once. Two instrumentations of a request, such as those of a client and of
 * a framework around it, make a span directly inside another one, or two at the same time with the id or the usage of one response: the turn is
 * that of the inner span, or of the first, the messages are those of the other only if it has none. Details of a request can also
 * be logged beside its span. All of them arrive in any order, and again.
 */
export function withoutRepeats(
  signals: readonly Signal[],
  memory: TelemetryMemory,
): (readonly [given: Signal, read: Signal])[] {
  const hasContent = contentChecks();
  const isEmpty = (span: Signal) => usageOf(span) === undefined && !hasContent(span);
  const spans = new Map<string, Signal>();
  for (const signal of signals) if (isRequest(signal) && !isLog(signal)) spans.set(keyOfSpan(signal), signal);
  const inner = new Map<string, boolean>();
  for (const span of spans.values())
    if (spans.has(keyAround(span)) && !isEmpty(span)) inner.set(keyAround(span), hasContent(span));
  /** How a signal is read for the first time. */
  const readingOf = (signal: Signal): RequestReading => {
    const key = keyOfSpan(signal);
    const around = keyAround(signal);
    const own = hasContent(signal);
    if (isLog(signal))
      return hasContent(spans.get(key)) || memory.hasContentAt(`span ${key}`) === true ? 'not' : 'of span';
    if (spans.has(around) && isEmpty(signal)) return 'not';
    const response = responseOf(signal);
    const usage = placeOf(signal);
    const beside = usage && memory.sameResponse(usage, signal);
    const other =
      inner.get(key) ??
      memory.hasContentAt(`inner ${key}`) ??
      (spans.has(around) ? undefined : memory.hasContentAt(`span ${around}`)) ??
      (response && memory.sameResponse(response, signal)) ??
      // Of two requests at the same time, an instrumentation records the content of both or of none.
      (beside === own ? undefined : beside);
    if (other !== undefined) return other || !own ? 'not' : 'known';
    for (const one of [response, usage]) if (one !== undefined) memory.learnResponse(one, signal, own);
    return memory.hasContentAt(`log ${key}`) === true ? 'bare' : 'whole';
  };
  return signals.flatMap((signal): [Signal, Signal][] => {
    if (!isRequest(signal)) return [[signal, signal]];
    const key = `${isLog(signal) ? 'log' : 'span'} ${keyOfSpan(signal)}`;
    // A request that is sent again gives the same events.
    const reading = memory.readingOf(key) ?? readingOf(signal);
    memory.learnReading(key, reading, hasContent(signal));
    if (reading === 'not') return [];
    if (!isLog(signal)) memory.learnContent(`inner ${keyAround(signal)}`, hasContent(signal));
    return [[signal, reading === 'whole' ? signal : { ...signal, turn: reading }]];
  });
}

/** Identifies the response of a request in its trace. A cache can answer several requests with one response, one after another. */
function responseOf({ traceId = '', attributes: a }: Signal): string | undefined {
  const id = textOf(a['gen_ai.response.id']) ?? textOf(a['llm.response.id']);
  return id && `${traceId}:${id}`;
}

/** What two spans of a request have in common if they do not name its response: the span around them and the usage. */
function placeOf(span: Signal): string | undefined {
  const { inputTokens, outputTokens } = usageOf(span) ?? {};
  if (span.parentId === undefined || !inputTokens || !outputTokens) return undefined;
  return `${keyAround(span)}:${String(inputTokens)}:${String(outputTokens)}`;
}

function isRequest(signal: Signal): boolean {
  const { spanId, logged } = signal;
  return (
    spanId !== undefined && logged === undefined && kindOf(signal) === 'model' && !isBesideResponse(signal)
  );
}

function isLog({ name }: Signal): boolean {
  return name === DETAILS;
}

function keyAround(span: Signal): string {
  return keyOfSpan({ ...span, spanId: span.parentId });
}

/** Whether a signal has messages. Each is looked at once: that takes reading a whole history. */
function contentChecks(): (signal: Signal | undefined) => boolean {
  const known = new Map<Signal, boolean>();
  return (signal) => {
    if (signal === undefined) return false;
    const has = known.get(signal) ?? (inputOf(signal).length > 0 || outputOf(signal).length > 0);
    known.set(signal, has);
    return has;
  };
}
