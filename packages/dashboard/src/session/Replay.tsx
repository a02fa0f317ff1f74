import type { IncidentItem } from '@loopwatch/contract/api';
import { useCallback, useEffect, useState } from 'react';
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
  /** The steps between which a replay moves: it ends as soon as another one is shown. */
  const [playing, setPlaying] = useState<readonly (number | undefined)[]>();
  if (playing !== undefined && !playing.includes(at)) setPlaying(undefined);
  const steps = blocks.flatMap((block) =>
    block.first !== undefined && isInLoop(block, loop) ? [block.first] : [],
  );
  const current = at === undefined ? -1 : steps.findLastIndex((index) => index <= at);
  const end = blocks.at(-1);
  // The loop goes on behind what is loaded.
  const isCut = current >= 0 && end?.last !== undefined && end.time < loop.lastAt;
  const next = steps[current + 1] ?? (isCut && at !== undefined && at <= end.last ? end.last + 1 : undefined);
  const previous = steps[current - 1];
  const plays = playing !== undefined && next !== undefined;
  const play = useCallback(
    (index: number) => {
      setPlaying([at, index]);
      onGo(index);
    },
    [at, onGo],
  );
  useEffect(() => {
    if (!plays) return;
    const timer = setTimeout(() => play(next), STEP_MS);
    return () => clearTimeout(timer);
  }, [plays, next, play]);
  const toggle = () => {
    const begin = steps[0] ?? loop.began?.eventIndex;
    if (plays) setPlaying(undefined);
    else if (begin !== undefined && (next === undefined || steps.length === 0)) play(begin);
    else setPlaying([at]);
  };
  const step = (index: number | undefined) => {
    if (index === undefined) return;
    setPlaying(undefined);
    onGo(index);
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
        onClick={() => step(previous)}
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
        onClick={() => step(next)}
      >
        <span className="grid rotate-180">
          <Icon name="back" size={13} />
        </span>
      </Button>
    </div>
  );
}
