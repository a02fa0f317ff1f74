import type { IncidentItem, MuteCause, TriageStatus } from '@loopwatch/contract/api';
import { useRefusal } from '../api/me.ts';
import { serverNow } from '../lib/clock.ts';
import { visibleText } from '../lib/visible-text.ts';
import { Button } from '../ui/controls/Button.tsx';
import { Menu, MenuItem, MenuLabel, MenuLine } from '../ui/controls/Menu.tsx';
import { Icon } from '../ui/lib/icons.tsx';
import { type CauseTime, causeTimes, useCauseTriage } from './mutes/mute-cause.ts';
import { muteTimes, useTriage } from './triage.ts';

interface Props {
  readonly items: readonly IncidentItem[];
  readonly onDone?: () => void;
}

/** Acknowledge, false positive, mute. Each button also undoes its own decision. */
export function TriageButtons({ items, onDone }: Props) {
  const triage = useTriage();
  const { mute: muteCause, unmute } = useCauseTriage();
  const refused = useRefusal();
  const byCause = items.find(({ mute }) => mute !== undefined)?.mute;
  const causes = causesOf(items);
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
          onClick={() => (byCause === undefined ? judge('muted', '') : unmute(byCause))}
          title={byCause === undefined ? undefined : 'Unmute this cause'}
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
          <MenuLabel>{items.length === 1 ? 'This incident' : 'These incidents'}</MenuLabel>
          {muteTimes.map(({ name, ms }) => (
            <MenuItem
              key={name}
              onSelect={() => judge('muted', `Muted ${name}`, ms === null ? null : serverNow() + ms)}
            >
              {name}
            </MenuItem>
          ))}
          {causes.map(({ name, cause }) => (
            <CauseItems key={name} name={name} onMute={(time) => muteCause(cause, time)} />
          ))}
        </Menu>
      )}
    </>
  );
}

interface CauseProps {
  readonly name: string;
  readonly onMute: (time: CauseTime) => void;
}

/** Durations of a mute by cause. */
export function CauseItems({ name, onMute }: CauseProps) {
  return (
    <>
      <MenuLine />
      <MenuLabel>{name}</MenuLabel>
      {causeTimes.map((time) => (
        <MenuItem key={time.name} onSelect={() => onMute(time)}>
          {time.name}
        </MenuItem>
      ))}
    </>
  );
}

/** Causes that the incidents share and that can be muted. */
function causesOf(items: readonly IncidentItem[]): { name: string; cause: MuteCause }[] {
  const [first] = items;
  if (first === undefined) return [];
  const { groupKey, detector, tool } = first;
  const same = (of: (item: IncidentItem) => unknown) => items.every((item) => of(item) === of(first));
  return [
    ...(same((item) => item.groupKey)
      ? [{ name: 'This cause: identical loops, now and in the future', cause: { group: groupKey } }]
      : []),
    ...(tool !== null && same((item) => item.tool?.name) && same((item) => item.detector)
      ? [
          {
            name: `Any ${detector} of ${visibleText(tool.name)}`,
            cause: { detector, tool: tool.name },
          },
        ]
      : []),
  ];
}
