import type { Incident } from '@loopwatch/contract';
import { Card } from '../../ui/Card.tsx';
import { CallsEvidence } from './CallsEvidence.tsx';
import styles from './Evidence.module.css';
import { readCalls, readText } from './read.ts';
import { TextEvidence } from './TextEvidence.tsx';

/** Draws what a detector saw. Each view claims the shapes it can draw; the rest is JSON. */
export function Evidence({ incident }: { readonly incident: Incident }) {
  const { evidence } = incident;
  const calls = readCalls(evidence);
  const text = readText(evidence);
  const drawn = calls !== undefined || text !== undefined;
  if (!drawn && Object.keys(evidence).length === 0) return null;
  return (
    <>
      {calls !== undefined && <CallsEvidence incident={incident} evidence={calls} />}
      {text !== undefined && <TextEvidence incident={incident} evidence={text} />}
      {drawn ? (
        <details className={styles['raw']}>
          <summary>Evidence as JSON</summary>
          <Json value={evidence} />
        </details>
      ) : (
        <Card title="Evidence">
          <Json value={evidence} />
        </Card>
      )}
    </>
  );
}

function Json({ value }: { readonly value: unknown }) {
  return <pre className={styles['code']}>{JSON.stringify(value, null, 2)}</pre>;
}
