import { type DetectorId, type EvidenceOf, type Incident, readEvidence } from '@loopwatch/contract';
import type { ComponentType } from 'react';
import { Card } from '../../ui/layout/Card.tsx';
import { JsonTree } from '../../ui/layout/JsonTree.tsx';
import { BudgetEvidence } from './BudgetEvidence.tsx';
import { CallsEvidence } from './CallsEvidence.tsx';
import { CycleEvidence } from './CycleEvidence.tsx';
import { JudgeEvidence } from './JudgeEvidence.tsx';
import { LimitEvidence } from './LimitEvidence.tsx';
import { ResultsEvidence, StagnationEvidence } from './ResultsEvidence.tsx';
import { TextEvidence } from './TextEvidence.tsx';
import type { ViewProps } from './view.ts';

/** Evidence of a detector without a view is shown as JSON. */
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

/** Shows the evidence of a detector. Evidence that does not match its schema is shown as JSON. */
export function Evidence({ incident, onOpen }: Props) {
  const { evidence, detector } = incident;
  if (Object.keys(evidence).length === 0) return null;
  const known = readEvidence(detector, evidence);
  if (views[detector] === undefined || known === undefined || !hasContent(known)) {
    return (
      <Card title="Evidence">
        <JsonTree value={evidence} />
      </Card>
    );
  }
  return (
    <>
      <View detector={detector} incident={incident} evidence={known} onOpen={onOpen} />
      <details className="text-sm [&_summary]:px-1.5 [&_summary]:py-0.5 [&_summary]:w-fit [&_summary]:rounded-sm [&_summary]:text-ink2 [&_summary]:font-550 [&_summary]:cursor-pointer [&_summary]:hover:text-ink open:[&_summary]:mb-2">
        <summary>Evidence as JSON</summary>
        <JsonTree value={evidence} />
      </details>
    </>
  );
}

function View<D extends DetectorId>({ detector, ...props }: ViewProps<D> & { readonly detector: D }) {
  const Component: ComponentType<ViewProps<D>> | undefined = views[detector];
  return Component && <Component {...props} />;
}

/** A resolution may contain only the last action and its position; then there is nothing to show. */
function hasContent(evidence: EvidenceOf<DetectorId>): boolean {
  return Object.keys(evidence).some((name) => name !== 'lastAction' && name !== 'at');
}
