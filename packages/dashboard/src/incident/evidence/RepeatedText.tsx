import type { DetectorId } from '@loopwatch/contract';
import { plural } from '../../lib/format.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { Card } from '../../ui/layout/Card.tsx';

/** The repeated text, quoted. */
export function RepeatedText({ text, detector }: { readonly text: string; readonly detector: DetectorId }) {
  if (text.trim() === '') return null;
  return (
    <Card title="Repeated text" note={`${plural(text.length, 'character')} each time`}>
      <blockquote
        className="pl-3 text-lg/[1.55] border-l-3 border-l-(--hue) whitespace-pre-wrap wrap-anywhere max-h-60 overflow-auto"
        data-detector={detector}
        tabIndex={0}
      >
        {visibleText(text)}
      </blockquote>
    </Card>
  );
}
