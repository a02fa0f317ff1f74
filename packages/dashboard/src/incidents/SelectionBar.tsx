import type { IncidentItem } from '@loopwatch/contract/api';
import { plural } from '../lib/format.ts';
import { Button } from '../ui/controls/Button.tsx';
import styles from './SelectionBar.module.css';
import { TriageButtons } from './TriageButtons.tsx';

interface Props {
  readonly items: readonly IncidentItem[];
  readonly onClear: () => void;
}

/** Actions for the selected incidents. */
export function SelectionBar({ items, onClear }: Props) {
  return (
    <section className={styles['bar']} aria-label="Selected incidents">
      <b>{plural(items.length, 'incident')}</b>
      <TriageButtons items={items} onDone={onClear} />
      <Button quiet onClick={onClear}>
        Clear selection
      </Button>
    </section>
  );
}
