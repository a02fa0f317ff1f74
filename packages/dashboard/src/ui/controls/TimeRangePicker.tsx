import { type SubmitEvent, useState } from 'react';
import { useNow } from '../../lib/clock.ts';
import { formatPeriod } from '../../lib/format.ts';
import { type Span, spans, type TimeRange } from '../../lib/time-range.ts';
import { Icon } from '../lib/icons.tsx';
import { Button } from './Button.tsx';
import { Popover } from './Popover.tsx';

interface Props {
  readonly range: TimeRange;
  readonly onChange: (range: TimeRange) => void;
  /** Whether "All time" is offered. */
  readonly all?: boolean;
}

/** Chooses a time range: relative to now, or between two times. */
export function TimeRangePicker({ range, onChange, all = false }: Props) {
  const [open, setOpen] = useState(false);
  const choose = (next: TimeRange) => {
    setOpen(false);
    onChange(next);
  };
  return (
    <Popover
      label="Time"
      open={open}
      onOpen={setOpen}
      trigger={
        <Button aria-label={`Time: ${rangeText(range)}`}>
          <Icon name="clock" size={14} />
          {rangeText(range)}
          <Icon name="down" size={12} />
        </Button>
      }
    >
      <div className="flex flex-wrap gap-4">
        <div className="grid content-start gap-px min-w-32.5 [&_button]:px-2.5 [&_button]:py-1 [&_button]:rounded-[6px] [&_button]:text-left [&_button]:hover:bg-raise [&_button]:aria-pressed:bg-accent-soft [&_button]:aria-pressed:text-accent [&_button]:aria-pressed:font-550">
          {all && (
            <Preset on={range.kind === 'all'} onClick={() => choose({ kind: 'all' })}>
              All time
            </Preset>
          )}
          {(Object.keys(spans) as Span[]).map((span) => (
            <Preset
              key={span}
              on={range.kind === 'last' && range.span === span}
              onClick={() => choose({ kind: 'last', span })}
            >
              {spans[span].text}
            </Preset>
          ))}
        </div>
        <Fixed range={range} onChoose={choose} />
      </div>
    </Popover>
  );
}

function Preset({ on, onClick, children }: { on: boolean; onClick: () => void; children: string }) {
  return (
    <button type="button" aria-pressed={on} onClick={onClick}>
      {children}
    </button>
  );
}

function Fixed({ range, onChoose }: { range: TimeRange; onChoose: (range: TimeRange) => void }) {
  const [error, setError] = useState<string>();
  const choose = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const from = readLocal(data.get('from'));
    const to = readLocal(data.get('to'));
    if (from === undefined || to === undefined) setError('Enter a start and an end.');
    else if (from >= to) setError('The end must be after the start.');
    else onChoose({ kind: 'fixed', from, to });
  };
  const now = useNow();
  const [shown] = useState(range.kind === 'fixed' ? range : { from: now - 3_600_000, to: now });
  return (
    <form className="grid content-start gap-2 justify-items-start" onSubmit={choose} noValidate>
      <label className="grid gap-0.5 text-sm text-ink2">
        From
        <input
          className="field"
          type="datetime-local"
          name="from"
          step="1"
          defaultValue={writeLocal(shown.from)}
        />
      </label>
      <label className="grid gap-0.5 text-sm text-ink2">
        To
        <input
          className="field"
          type="datetime-local"
          name="to"
          step="1"
          defaultValue={writeLocal(shown.to)}
        />
      </label>
      <small className="text-ink3 text-xs">in this computer’s time zone</small>
      {error !== undefined && (
        <p className="text-hot text-sm" role="alert">
          {error}
        </p>
      )}
      <Button type="submit">Apply</Button>
    </form>
  );
}

export function rangeText(range: TimeRange): string {
  if (range.kind === 'all') return 'All time';
  if (range.kind === 'last') return spans[range.span].text;
  return formatPeriod(range.from, range.to);
}

function readLocal(value: FormDataEntryValue | null): number | undefined {
  const time = typeof value === 'string' ? new Date(value).getTime() : NaN;
  return Number.isNaN(time) ? undefined : time;
}

function writeLocal(time: number): string {
  const date = new Date(time - new Date(time).getTimezoneOffset() * 60_000);
  return date.toISOString().slice(0, 19);
}
