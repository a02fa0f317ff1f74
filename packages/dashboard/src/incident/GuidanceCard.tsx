import { visibleText } from '../lib/visible-text.ts';
import { CopyButton } from '../ui/controls/CopyButton.tsx';
import { Card } from '../ui/layout/Card.tsx';
import styles from './GuidanceCard.module.css';

/** The guidance for the model. */
export function GuidanceCard({ text }: { readonly text: string }) {
  return (
    <Card title="Guidance for the model" note="as issued at the time">
      <blockquote className={styles['guidance']}>{visibleText(text.trimEnd())}</blockquote>
      <div className={styles['under']}>
        <CopyButton what="guidance" text={text} />
      </div>
    </Card>
  );
}
