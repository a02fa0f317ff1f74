import { type DetectorId, type EvidenceOf, type Incident, readEvidence } from '@loopwatch/contract';
import type { ComponentType } from 'react';
import { Card } from '../../ui/layout/Card.tsx';
import { JsonTree } from '../../ui/layout/JsonTree.tsx';
import { BudgetEvidence } from './BudgetEvidence.tsx';
import { CallsEvidence } from './CallsEvidence.tsx';
import { CycleEvidence } from './CycleEvidence.tsx';
import styles from './Evidence.module.css';
import { JudgeEvidence } from './JudgeEvidence.tsx';
import { LimitEvidence } from './LimitEvidence.tsx';
import { ResultsEvidence } from './ResultsEvidence.tsx';
import { StagnationEvidence } from './StagnationEvidence.tsx';
import { TextEvidence } from './TextEvidence.tsx';
import type { ViewProps } from './view.ts';

/** Evidence of a detector without a view of its own is shown as JSON. */
const views: { readonly [D in DetectorId]?: ComponentType<ViewProps<D>> } = {
  'tool-repeat': CallsEvidence,
  'tool-cycle': CycleEvidence,
  stagnation: StagnationEvidence,
  'content-repeat': TextEvidence,
  'thought-repeat': TextEvidence,
  semantic: JudgeEvidence,
  'tool-limit': LimitEvidence,
  'turn-limit': LimitEvidence,
  outage: ResultsEvidence,
  budget: BudgetEvidence,
};

interface Props {
  readonly incident: Incident;
  /** Opens the session at an event. */
  readonly onOpen?: ((eventIndex: number) => void) | undefined;
}

/** Draws what a detector saw. What does not fit the schema of its detector is shown as JSON. */
export function Evidence({ incident, onOpen }: Props) {
  const { evidence, detector } = incident;
  if (Object.keys(evidence).length === 0) return null;
  const known = readEvidence(detector, evidence);
  if (views[detector] === undefined || known === undefined || !saysSomething(known)) {
    return (
      <Card title="Evidence">
        <JsonTree value={evidence} />
      </Card>
    );
  }
  return (
    <>
      <View detector={detector} incident={incident} evidence={known} onOpen={onOpen} />
      <details className={styles['raw']}>
        <summary>Evidence as JSON</summary>
        <JsonTree value={evidence} />
      </details>
    </>
  );
}

function View<D extends DetectorId>({ detector, ...props }: ViewProps<D> & { readonly detector: D }) {
  const Drawn: ComponentType<ViewProps<D>> | undefined = views[detector];
  return Drawn && <Drawn {...props} />;
}

/** A resolution may have nothing to show: the action, and where it came. */
function saysSomething(evidence: EvidenceOf<DetectorId>): boolean {
  return Object.keys(evidence).some((name) => name !== 'lastAction' && name !== 'at');
}
