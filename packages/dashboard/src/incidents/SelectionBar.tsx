import type { IncidentItem } from '@loopwatch/contract/api';
import { plural } from '../lib/format.ts';
import { Button } from '../ui/controls/Button.tsx';
import { TriageButtons } from './TriageButtons.tsx';

interface Props {
  readonly items: readonly IncidentItem[];
  readonly onClear: () => void;
}

/** Actions for the selected incidents. */
export function SelectionBar({ items, onClear }: Props) {
  return (
    <section
      className="toolbar floating pr-2 pl-4 py-2 mx-auto sticky z-3 bottom-3 w-fit max-w-full rounded-lg"
      aria-label="Selected incidents"
    >
      <b className="font-600">{plural(items.length, 'incident')}</b>
      <TriageButtons items={items} onDone={onClear} />
      <Button quiet onClick={onClear}>
        Clear selection
      </Button>
    </section>
  );
}
