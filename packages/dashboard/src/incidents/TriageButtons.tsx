import type { IncidentItem, TriageStatus } from '@loopwatch/contract/api';
import { useRefusal } from '../api/me.ts';
import { serverNow } from '../lib/clock.ts';
import { Button } from '../ui/controls/Button.tsx';
import { Menu, MenuItem } from '../ui/controls/Menu.tsx';
import { Icon } from '../ui/lib/icons.tsx';
import { muteTimes, useTriage } from './triage.ts';

interface Props {
  readonly items: readonly IncidentItem[];
  readonly onDone?: () => void;
}

/** Acknowledge, false positive, mute. What is so already is taken back by the same button. */
export function TriageButtons({ items, onDone }: Props) {
  const triage = useTriage();
  const refused = useRefusal();
  const all = (status: TriageStatus) =>
    items.length > 0 && items.every((item) => item.triage.status === status);
  const judge = (
    status: 'acknowledged' | 'false_positive' | 'muted',
    done: string,
    mutedUntil?: number | null,
  ) => {
    if (all(status)) triage.change(items, { status: 'new' }, 'Reopened');
    else triage.change(items, { status, ...(mutedUntil !== undefined && { mutedUntil }) }, done);
    onDone?.();
  };
  return (
    <>
      <Button
        refused={refused}
        aria-pressed={all('acknowledged')}
        tone={all('acknowledged') ? 'accent' : undefined}
        onClick={() => judge('acknowledged', 'Acknowledged')}
        title="It is a loop (a)"
      >
        <Icon name="check" size={14} />
        {all('acknowledged') ? 'Acknowledged' : 'Acknowledge'}
      </Button>
      <Button
        refused={refused}
        aria-pressed={all('false_positive')}
        tone={all('false_positive') ? 'accent' : undefined}
        onClick={() => judge('false_positive', 'Marked as a false positive')}
        title="Mark as false positive (f)"
      >
        <Icon name="flag" size={14} />
        False positive
      </Button>
      {all('muted') || refused !== undefined ? (
        <Button
          refused={refused}
          aria-pressed={all('muted')}
          tone={all('muted') ? 'accent' : undefined}
          onClick={() => judge('muted', '')}
        >
          <Icon name="mute" size={14} />
          {all('muted') ? 'Muted' : 'Mute'}
        </Button>
      ) : (
        <Menu
          align="end"
          trigger={
            <Button>
              <Icon name="mute" size={14} />
              Mute
              <Icon name="down" size={12} />
            </Button>
          }
        >
          {muteTimes.map(({ name, ms }) => (
            <MenuItem
              key={name}
              onSelect={() => judge('muted', `Muted ${name}`, ms === null ? null : serverNow() + ms)}
            >
              {name}
            </MenuItem>
          ))}
        </Menu>
      )}
    </>
  );
}
