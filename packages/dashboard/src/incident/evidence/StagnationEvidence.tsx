import { RepeatedText } from './RepeatedText.tsx';
import { ResultsEvidence } from './ResultsEvidence.tsx';
import type { ViewProps } from './view.ts';

/** Calls that lead nowhere, or a message or a prompt that is repeated without any. */
export function StagnationEvidence({ incident, evidence }: ViewProps<'stagnation'>) {
  return (
    <>
      <ResultsEvidence incident={incident} evidence={evidence} />
      {evidence.repeated !== undefined && (
        <RepeatedText text={evidence.repeated} detector={incident.detector} />
      )}
    </>
  );
}
