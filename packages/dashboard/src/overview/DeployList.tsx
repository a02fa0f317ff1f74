import type { Deploy, Overview } from '@loopwatch/contract/api';
import { Link } from '@tanstack/react-router';
import { formatTime } from '../lib/format.ts';
import { type TimeRange, writeRange } from '../lib/time-range.ts';
import { visibleText } from '../lib/visible-text.ts';

const SHOWN = 6;

interface Props {
  readonly overview: Overview;
  readonly range: TimeRange;
}

/** The deploys that the charts mark, each with a link that compares its version. */
export function DeployList({ overview: { deploys, to }, range }: Props) {
  if (deploys.length === 0) return null;
  const others = deploys.length - SHOWN;
  return (
    <p className="flex flex-wrap items-baseline gap-x-4 gap-y-1 px-1 text-sm text-ink2">
      <span className="text-ink3">Deploys</span>
      {deploys.slice(0, SHOWN).map((deploy) => (
        <Link
          key={deploy.id}
          className="text-accent hover:underline"
          to="/compare"
          search={{ b: deploy.version, ...writeRange(range, { kind: 'last', span: '7d' }) }}
          activeProps={{}}
          title={deploy.note ?? 'Compare with another version'}
        >
          {deployText(deploy)}, {formatTime(deploy.at, to).replace(/:\d\d$/, '')}
        </Link>
      ))}
      {others > 0 && <span className="text-ink3">and {others} more</span>}
    </p>
  );
}

export function deployText({ agent, version }: Deploy): string {
  return visibleText(agent === null ? version : `${agent} ${version}`);
}
