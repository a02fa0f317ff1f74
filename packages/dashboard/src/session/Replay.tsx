import type { IncidentItem } from '@loopwatch/contract/api';
import { useEffect, useState } from 'react';
import { formatNumber } from '../lib/format.ts';
import { Button } from '../ui/controls/Button.tsx';
import { DetectorSquare } from '../ui/controls/Chip.tsx';
import { Icon } from '../ui/lib/icons.tsx';
import { type Block, isInLoop } from './blocks.ts';

interface Props {
  readonly blocks: readonly Block[];
  /** The loop to play through. */
  readonly loop: IncidentItem;
  readonly at: number | undefined;
  /** Shows an event; undefined ones are not loaded. */
  readonly onGo: (index: number) => void;
}

/** How long each step is shown. */
const STEP_MS = 700;

/** Plays through the steps of a loop, or goes from one to the next. */
export function Replay({ blocks, loop, at, onGo }: Props) {
  const [isPlaying, setPlaying] = useState(false);
  const steps = blocks.flatMap((block) =>
    block.first !== undefined && isInLoop(block, loop) ? [block.first] : [],
  );
  const current = at === undefined ? -1 : steps.findLastIndex((index) => index <= at);
  const end = blocks.at(-1);
  // The loop goes on behind what is loaded.
  const isCut = current >= 0 && end?.last !== undefined && end.time < loop.lastAt;
  const next = steps[current + 1] ?? (isCut && at !== undefined && at <= end.last ? end.last + 1 : undefined);
  const previous = steps[current - 1];
  const plays = isPlaying && next !== undefined;
  useEffect(() => {
    if (!plays) return;
    const timer = setTimeout(() => onGo(next), STEP_MS);
    return () => clearTimeout(timer);
  }, [plays, next, onGo]);
  const toggle = () => {
    if (plays) setPlaying(false);
    else {
      const [first] = steps;
      if (next === undefined && first !== undefined) onGo(first);
      else if (first === undefined && loop.began !== undefined) onGo(loop.began.eventIndex);
      setPlaying(true);
    }
  };
  const name = `${loop.tool?.name ?? loop.detector} ×${formatNumber(loop.count)}`;
  return (
    <div className="flex items-center gap-1" role="group" aria-label="Replay of the loop">
      <span
        className="inline-flex items-center gap-1.5 mr-1 text-sm text-ink2 max-w-60 truncate"
        title={loop.reason}
      >
        <DetectorSquare detector={loop.detector} />
        {name}
        <span className="tabular-nums text-ink3">{current >= 0 && `step ${formatNumber(current + 1)}`}</span>
      </span>
      <Button
        icon
        small
        aria-label="Previous step of the loop"
        disabled={previous === undefined}
        onClick={() => previous !== undefined && onGo(previous)}
      >
        <Icon name="back" size={13} />
      </Button>
      <Button icon small aria-label={plays ? 'Pause' : 'Play through the loop'} onClick={toggle}>
        <Icon name={plays ? 'pause' : 'play'} size={13} />
      </Button>
      <Button
        icon
        small
        aria-label="Next step of the loop"
        disabled={next === undefined}
        onClick={() => next !== undefined && onGo(next)}
      >
        <span className="grid rotate-180">
          <Icon name="back" size={13} />
        </span>
      </Button>
    </div>
  );
}
