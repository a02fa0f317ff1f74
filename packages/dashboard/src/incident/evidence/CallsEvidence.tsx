import type { Incident } from '@loopwatch/contract';
import { Card } from '../../ui/Card.tsx';
import { formatDuration, formatTime, plural } from '../../ui/format.ts';
import { callsLine } from './calls-line.ts';
import { diff, type Piece, prettyJson } from './diff.ts';
import styles from './Evidence.module.css';
import type { Call, CallResult, CallsEvidence as Evidence } from './read.ts';

interface Props {
  readonly incident: Incident;
  readonly evidence: Evidence;
}

/** Repeated calls: all on one line, then the first and the latest side by side. */
export function CallsEvidence({ incident, evidence }: Props) {
  const { calls } = evidence;
  const first = calls[0];
  const latest = calls.at(-1);
  return (
    <>
      <CallsLineCard incident={incident} evidence={evidence} />
      {first !== undefined && latest !== undefined && calls.length > 1 && (
        <FirstAndLatest first={first} latest={latest} total={Math.max(incident.count, calls.length)} />
      )}
      {first !== undefined && calls.length === 1 && (
        <Card title="The call">
          <pre className={styles['code']}>{shown(first)}</pre>
          {first.result !== undefined && (
            <Result result={first.result} pieces={[{ text: prettyJson(first.result.text), same: true }]} />
          )}
        </Card>
      )}
    </>
  );
}

function CallsLineCard({ incident, evidence }: Props) {
  const { calls, similar } = evidence;
  const { noticedAt } = callsLine(calls, incident, WIDE.maxDots);
  const total = Math.max(incident.count, calls.length);
  const began = calls[0]?.time;
  const opening = incident.verdicts[0];
  const delay = began !== undefined && opening !== undefined ? opening.time - began : undefined;
  const soFar = incident.state === 'open' ? ' so far' : '';
  const kept = calls.length < total ? '; the large dots were kept as evidence' : '';
  return (
    <Card
      title="The loop, call by call"
      note={`${plural(total, similar ? 'similar call' : 'identical call')}${soFar}${kept}`}
    >
      <div className={styles['line']} data-detector={incident.detector}>
        <div className={styles['wide']}>
          <Line incident={incident} evidence={evidence} shape={WIDE} />
        </div>
        <div className={styles['narrow']}>
          <Line incident={incident} evidence={evidence} shape={NARROW} />
        </div>
        <p className={styles['lineNotes']}>
          <span>{began === undefined ? 'Call 1' : `Began ${formatTime(began)}`}</span>
          <span>
            Noticed at call {noticedAt}
            {delay !== undefined && delay >= 0 && `, ${formatDuration(delay)} after it began`}
          </span>
        </p>
      </div>
    </Card>
  );
}

interface Shape {
  readonly width: number;
  readonly maxDots: number;
}

const WIDE: Shape = { width: 736, maxDots: 34 };
const NARROW: Shape = { width: 330, maxDots: 14 };
const EDGE = 20;
/** Room for the calls that are left out, in steps. */
const GAP = 3;

function Line({
  incident,
  evidence: { calls },
  shape: { width, maxDots },
}: Props & { readonly shape: Shape }) {
  const { dots, skipped, skippedAfter, noticedAt } = callsLine(calls, incident, maxDots);
  const steps = Math.max(1, dots.length - 1 + (skippedAfter === undefined ? 0 : GAP - 1));
  const step = (width - 2 * EDGE) / steps;
  const x = (index: number) => EDGE + step * (index >= (skippedAfter ?? Infinity) ? index + GAP - 1 : index);
  const noticedIndex = dots.findIndex(({ noticed }) => noticed);
  const total = Math.max(incident.count, calls.length);
  const text = `${plural(total, 'call')} of ${calls[0]?.name ?? 'a tool'}, noticed at call ${String(noticedAt)}`;
  return (
    <svg viewBox={`0 0 ${String(width)} 44`} role="img" aria-label={text}>
      <rect className={styles['loop']} x="1" y="1" width={width - 2} height="42" rx="9" />
      <line className={styles['rail']} x1={x(0)} x2={x(dots.length - 1)} y1="24" y2="24" />
      {dots.map(({ ordinal }, index) => {
        if (index === 0 || index === skippedAfter) return null;
        const from = x(index - 1) + 3;
        const to = x(index) - 3;
        const middle = (from + to) / 2;
        return (
          <path
            key={ordinal}
            className={styles['arc']}
            d={`M${String(from)} 17Q${String(middle)} 4 ${String(to)} 17`}
          />
        );
      })}
      {skippedAfter !== undefined && (
        <g>
          <rect
            className={styles['gap']}
            x={x(skippedAfter - 1) + step * 0.7}
            y="13"
            width={step * (GAP - 1.4)}
            height="22"
            rx="11"
          />
          <text className={styles['gapText']} x={x(skippedAfter - 1) + (step * GAP) / 2} y="28">
            +{skipped}
          </text>
        </g>
      )}
      {noticedIndex >= 0 && (
        <line className={styles['noticed']} x1={x(noticedIndex)} x2={x(noticedIndex)} y1="0" y2="44" />
      )}
      {dots.map(({ ordinal, call, noticed }, index) => (
        <circle
          key={ordinal}
          className={styles['dot']}
          data-noticed={noticed || undefined}
          cx={x(index)}
          cy="24"
          r={call === undefined ? 3.4 : 5.4}
        >
          <title>{dotTitle(ordinal, call)}</title>
        </circle>
      ))}
    </svg>
  );
}

function dotTitle(ordinal: number, call: Call | undefined): string {
  const parts = [`Call ${String(ordinal)}`];
  if (call?.time !== undefined) parts.push(formatTime(call.time));
  if (call?.eventIndex !== undefined) parts.push(`event #${String(call.eventIndex)}`);
  if (call?.similarity !== undefined) parts.push(`${String(Math.round(call.similarity * 100))} % alike`);
  return parts.join(', ');
}

interface PairProps {
  readonly first: Call;
  readonly latest: Call;
  readonly total: number;
}

function FirstAndLatest({ first, latest, total }: PairProps) {
  const calls = diff(shown(first), shown(latest));
  // A result on one side alone has nothing to differ from.
  const results =
    first.result !== undefined && latest.result !== undefined
      ? diff(prettyJson(first.result.text), prettyJson(latest.result.text))
      : undefined;
  return (
    <Card title="First and latest call" note={note(alike(calls), results && alike(results))} flush>
      <div className={styles['pair']}>
        <CallText call={first} ordinal={1} pieces={calls.before} result={results?.before} />
        <CallText call={latest} ordinal={total} pieces={calls.after} result={results?.after} />
      </div>
    </Card>
  );
}

function alike({ before, after }: ReturnType<typeof diff>): boolean {
  return [...before, ...after].every((piece) => piece.same);
}

/** @param results whether they are the same; undefined where they are not known */
function note(calls: boolean, results: boolean | undefined): string {
  if (calls && results === true) return 'the same call, the same result';
  if (calls && results === undefined) return 'the same call';
  return 'what differs is shaded';
}

interface CallTextProps {
  readonly call: Call;
  readonly ordinal: number;
  readonly pieces: readonly Piece[];
  readonly result: readonly Piece[] | undefined;
}

function CallText({ call, ordinal, pieces, result }: CallTextProps) {
  return (
    <div>
      <h3>
        Call {ordinal}
        {call.time !== undefined && <span>{formatTime(call.time)}</span>}
        {call.eventIndex !== undefined && <span>event #{call.eventIndex}</span>}
        {call.similarity !== undefined && <span>{Math.round(call.similarity * 100)} % alike</span>}
      </h3>
      <Pieces pieces={pieces} />
      {call.result !== undefined && (
        <Result
          result={call.result}
          pieces={result ?? [{ text: prettyJson(call.result.text), same: true }]}
        />
      )}
    </div>
  );
}

function Result({ result, pieces }: { result: CallResult; pieces: readonly Piece[] }) {
  return (
    <>
      <h4 className={styles['result']}>{result.failed ? 'Result: failed' : 'Result'}</h4>
      {result.text === '' ? <p className={styles['empty']}>empty</p> : <Pieces pieces={pieces} />}
    </>
  );
}

function Pieces({ pieces }: { pieces: readonly Piece[] }) {
  return (
    <pre className={styles['code']}>
      {pieces.map(({ text, same }, index) =>
        // The pieces are cut anew whenever they change, and have no other identity than their place.
        same ? <span key={index}>{text}</span> : <mark key={index}>{text}</mark>,
      )}
    </pre>
  );
}

function shown(call: Call): string {
  return `${call.name}\n${prettyJson(call.arguments)}`;
}
