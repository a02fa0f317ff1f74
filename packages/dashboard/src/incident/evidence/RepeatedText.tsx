import type { DetectorId } from '@loopwatch/contract';
import { plural } from '../../lib/format.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { Card } from '../../ui/layout/Card.tsx';
import styles from './Evidence.module.css';

/** The repeated text, quoted. */
export function RepeatedText({ text, detector }: { readonly text: string; readonly detector: DetectorId }) {
  if (text.trim() === '') return null;
  return (
    <Card title="Repeated text" note={`${plural(text.length, 'character')} each time`}>
      <blockquote className={styles['quote']} data-detector={detector} tabIndex={0}>
        {visibleText(text)}
      </blockquote>
    </Card>
  );
}
