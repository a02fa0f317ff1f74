import type { IncidentGroup } from '@loopwatch/contract/api';
import { useRefusal } from '../api/me.ts';
import { Button } from '../ui/controls/Button.tsx';
import { Menu, MenuItem } from '../ui/controls/Menu.tsx';
import { Icon } from '../ui/lib/icons.tsx';
import { useCauseTriage } from './mutes/mute-cause.ts';
import { CauseItems } from './TriageButtons.tsx';

/** Triage of all incidents of a group, and mutes for future ones. */
export function GroupTriage({ group }: { readonly group: IncidentGroup }) {
  const { mute, triageGroup } = useCauseTriage();
  const refused = useRefusal();
  const { key, occurrences, triage } = group;
  if (refused !== undefined) {
    return (
      <Button small refused={refused}>
        Triage
      </Button>
    );
  }
  return (
    <Menu
      align="end"
      trigger={
        <Button small>
          Triage
          <Icon name="down" size={12} />
        </Button>
      }
    >
      <MenuItem onSelect={() => triageGroup(key, { status: 'acknowledged' }, 'Acknowledged')}>
        Acknowledge
      </MenuItem>
      <MenuItem onSelect={() => triageGroup(key, { status: 'false_positive' }, 'Marked as false positives')}>
        False positive
      </MenuItem>
      {triage.new < occurrences && (
        <MenuItem onSelect={() => triageGroup(key, { status: 'new' }, 'Reopened')}>Reopen</MenuItem>
      )}
      <CauseItems name="Mute this cause" onMute={(time) => mute({ group: key }, time)} />
    </Menu>
  );
}
