import type { Incident } from '@loopwatch/contract';
import { Card } from '../../ui/layout/Card.tsx';
import { JsonTree } from '../../ui/layout/JsonTree.tsx';
import { CallsEvidence } from './CallsEvidence.tsx';
import { CycleEvidence } from './CycleEvidence.tsx';
import styles from './Evidence.module.css';
import { JudgeEvidence } from './JudgeEvidence.tsx';
import { LimitEvidence } from './LimitEvidence.tsx';
import { ResultsEvidence } from './ResultsEvidence.tsx';
import { readCalls, readCycle, readJudgement, readLimit, readText } from './read.ts';
import { TextEvidence } from './TextEvidence.tsx';

/** Draws what a detector saw. Each view claims the shapes it can draw; the rest is JSON. */
export function Evidence({
  incident,
  onOpen,
}: {
  readonly incident: Incident;
  /** Opens the session at an event. */
  readonly onOpen?: ((eventIndex: number) => void) | undefined;
}) {
  const { evidence, detector } = incident;
  const cycle = readCycle(evidence);
  const calls = readCalls(evidence);
  const text = readText(evidence);
  const judgement = readJudgement(evidence);
  const limit = readLimit(evidence);
  const views = [cycle, calls, text, judgement, limit].filter((view) => view !== undefined);
  if (views.length === 0 && Object.keys(evidence).length === 0) return null;
  const byResult = detector === 'stagnation' || detector === 'outage';
  return (
    <>
      {judgement !== undefined && <JudgeEvidence incident={incident} judgement={judgement} />}
      {limit !== undefined && <LimitEvidence incident={incident} limit={limit} />}
      {cycle !== undefined && <CycleEvidence incident={incident} cycle={cycle} />}
      {calls !== undefined && byResult && <ResultsEvidence incident={incident} evidence={calls} />}
      {calls !== undefined && !byResult && cycle === undefined && (
        <CallsEvidence incident={incident} evidence={calls} onOpen={onOpen} />
      )}
      {text !== undefined && <TextEvidence incident={incident} evidence={text} />}
      {views.length > 0 ? (
        <details className={styles['raw']}>
          <summary>Evidence as JSON</summary>
          <JsonTree value={evidence} />
        </details>
      ) : (
        <Card title="Evidence">
          <JsonTree value={evidence} />
        </Card>
      )}
    </>
  );
}
