import { visibleText } from '../lib/visible-text.ts';
import { CopyButton } from '../ui/controls/CopyButton.tsx';
import { Card } from '../ui/layout/Card.tsx';

/** The guidance for the model. */
export function GuidanceCard({ text }: { readonly text: string }) {
  return (
    <Card title="Guidance for the model" note="as issued at the time">
      <blockquote className="text-sm/[1.6] text-ink2 whitespace-pre-wrap wrap-anywhere">
        {visibleText(text.trimEnd())}
      </blockquote>
      <div className="mt-3">
        <CopyButton what="guidance" text={text} />
      </div>
    </Card>
  );
}
