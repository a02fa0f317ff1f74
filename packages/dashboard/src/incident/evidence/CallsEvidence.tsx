import { visibleText } from '../../lib/visible-text.ts';
import { Card } from '../../ui/layout/Card.tsx';
import { CallResult, shown } from './CallResult.tsx';
import { CallsLine } from './CallsLine.tsx';
import { stepsOf } from './calls-line.ts';
import { evidenceText } from './diff.ts';
import { FirstAndLatest } from './FirstAndLatest.tsx';
import type { ViewProps } from './view.ts';

/** Repeated calls: all steps on a line, then the first and the latest side by side. */
export function CallsEvidence({ incident, evidence, onOpen }: ViewProps<'tool-repeat'>) {
  const { calls, callsPerStep = 1 } = evidence;
  if (calls.length === 0) return null;
  const steps = stepsOf(calls, incident.count);
  const [first] = steps;
  const latest = steps.at(-1);
  const [call] = first?.calls ?? [];
  const unit = callsPerStep > 1 ? 'step' : 'call';
  return (
    <>
      <CallsLine incident={incident} evidence={evidence} onOpen={onOpen} />
      {first !== undefined && latest !== undefined && steps.length > 1 && (
        <FirstAndLatest first={first} latest={latest} unit={unit} onOpen={onOpen} />
      )}
      {call !== undefined && steps.length === 1 && (
        <Card title="Call">
          <pre className="text-sm/[1.65] font-mono font-450 whitespace-pre-wrap wrap-anywhere text-ink">
            {visibleText(shown(call))}
          </pre>
          {call.result !== undefined && (
            <CallResult
              result={call.result}
              pieces={[{ text: evidenceText(call.result.text), same: true }]}
            />
          )}
        </Card>
      )}
    </>
  );
}
