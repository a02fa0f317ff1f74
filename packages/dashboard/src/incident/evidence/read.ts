import { evidenceCallSchema } from '@loopwatch/contract';

/** Evidence as detectors write it, read with care: each part may be missing, and unknown shapes are shown as JSON. */

/** Where a call stands in the loop; of an older or foreign verdict it says nothing. */
const stepSchema = evidenceCallSchema.pick({ step: true, member: true });

export interface Call {
  readonly eventIndex: number | undefined;
  readonly eventId: string | undefined;
  /** Event time, epoch ms. */
  readonly time: number | undefined;
  /** Which step of the loop made it, from 1. */
  readonly step: number | undefined;
  readonly name: string;
  /** JSON, maybe cut. */
  readonly arguments: string;
  /** 0 to 1, where calls were compared by likeness. */
  readonly similarity: number | undefined;
  /** Where the detector looked at results. */
  readonly result: CallResult | undefined;
}

export interface CallResult {
  /** Maybe cut. */
  readonly text: string;
  readonly failed: boolean;
}

export interface CallsEvidence {
  /** The first and the latest; those in between may be missing. */
  readonly calls: readonly Call[];
  readonly similar: boolean;
  /** Calls of a step; 1 where they come singly. */
  readonly callsPerStep: number;
  /** Of a detector with several. */
  readonly rule: string | undefined;
}

/** One step of a cycle of calls. */
export interface CycleStep {
  readonly name: string;
  /** JSON, maybe cut. */
  readonly arguments: string;
  /** What it brings each time; '' where that is not known. */
  readonly text: string;
}

/** What a judging model said. */
export interface Judgement {
  readonly analysis: string;
  /** Turns that it was shown. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** Confidence above which it is a loop. */
  readonly threshold: number | undefined;
}

/** A limit of turns or requests. */
export interface Limit {
  readonly allowed: number | undefined;
  readonly message: string | undefined;
  readonly lastCalls: readonly string[];
}

export interface TextEvidence {
  /** One period of what repeats. */
  readonly repeated: string;
  /** Offsets in the session's text where a repetition ends, ascending. */
  readonly ends: readonly number[];
  /** Mean distance of two of them. */
  readonly distance: number | undefined;
  readonly excerpt: { readonly from: number; readonly text: string } | undefined;
}

type Evidence = Readonly<Record<string, unknown>>;

/** @returns undefined when it has no calls to draw */
export function readCalls(evidence: Evidence): CallsEvidence | undefined {
  const calls = list(evidence['calls']).flatMap((item): Call[] => {
    const call = fields(item);
    const name = text(call['name']);
    if (name === undefined) return [];
    const args = call['arguments'];
    return [
      {
        eventIndex: number(call['eventIndex']),
        eventId: text(call['eventId']),
        time: number(call['time']),
        step: stepSchema.safeParse(item).data?.step,
        name,
        arguments: typeof args === 'string' ? args : JSON.stringify(args ?? {}),
        similarity: number(call['similarity']),
        result: readResult(fields(call['result'])),
      },
    ];
  });
  return calls.length === 0
    ? undefined
    : {
        calls,
        similar: evidence['matching'] === 'similar',
        callsPerStep: number(evidence['callsPerStep']) ?? 1,
        rule: text(evidence['rule']),
      };
}

/** @returns undefined when it has no cycle of at least two steps */
export function readCycle(evidence: Evidence): readonly CycleStep[] | undefined {
  const steps = list(evidence['cycle']).flatMap((item): CycleStep[] => {
    const step = fields(item);
    const name = text(step['name']);
    return name === undefined
      ? []
      : [{ name, arguments: text(step['arguments']) ?? '', text: text(step['text']) ?? '' }];
  });
  return steps.length < 2 ? undefined : steps;
}

/** @returns undefined when no model said anything */
export function readJudgement(evidence: Evidence): Judgement | undefined {
  const analysis = text(evidence['analysis']);
  if (analysis === undefined) return undefined;
  const shown = fields(evidence['shown']);
  return {
    analysis,
    from: number(shown['from']),
    to: number(shown['to']),
    threshold: number(evidence['threshold']),
  };
}

/** @returns undefined when it is of no limit */
export function readLimit(evidence: Evidence): Limit | undefined {
  const allowed = number(evidence['max_allowed']);
  const message = text(evidence['limit_message']);
  if (allowed === undefined && message === undefined) return undefined;
  const lastCalls = list(evidence['last_tool_calls']).map((call) =>
    typeof call === 'string' ? call : JSON.stringify(call),
  );
  return { allowed, message, lastCalls };
}

function readResult(result: Evidence): CallResult | undefined {
  const shown = text(result['text']);
  const kind = text(result['kind']) ?? 'ok';
  return shown === undefined ? undefined : { text: shown, failed: kind !== 'ok' };
}

/** @returns undefined when it has no text to draw */
export function readText(evidence: Evidence): TextEvidence | undefined {
  const excerpt = fields(evidence['excerpt']);
  const shown = text(excerpt['text']);
  const repeated = text(evidence['repeated']) ?? text(fields(evidence['window'])['text']) ?? '';
  if (shown === undefined && repeated === '') return undefined;
  // Positions are where the compared window begins; what repeats is as long as a period and ends with it.
  const window = number(fields(evidence['window'])['length']) ?? repeated.length;
  return {
    repeated,
    ends: list(evidence['positions'])
      .flatMap((position) => number(position) ?? [])
      .map((position) => position + window)
      .sort((a, b) => a - b),
    distance: number(evidence['distance']),
    excerpt: shown === undefined ? undefined : { from: number(excerpt['from']) ?? 0, text: shown },
  };
}

function fields(value: unknown): Evidence {
  return typeof value === 'object' && value !== null ? (value as Evidence) : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
