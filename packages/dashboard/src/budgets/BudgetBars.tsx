import type { EvidenceOf } from '@loopwatch/contract';
import { formatCompact, formatNumber, formatUsd } from '../lib/format.ts';

type Use = EvidenceOf<'budget'>['uses'][number];

const names: Readonly<Record<Use['resource'], string>> = {
  tokens: 'Tokens',
  usd: 'Dollars',
  calls: 'Tool calls',
  minutes: 'Minutes',
  sub_agents: 'Sub-agents',
  sub_agent_levels: 'Levels of sub-agents',
};

interface Props {
  readonly uses: readonly Use[];
  /** Limits whose use is not known, and why. */
  readonly unknown?: readonly { readonly resource: Use['resource']; readonly why: string }[];
}

/** Each limit of a budget as a bar, the most used one first. */
export function BudgetBars({ uses, unknown = [] }: Props) {
  return (
    <ul className="grid grid-cols-[max-content_minmax(80px,1fr)_max-content] gap-3 [&_li[data-over]_progress]:accent-hot">
      {uses.map((use) => {
        const amounts = `${shown(use, use.used)} of ${shown(use, use.limit)}`;
        return (
          <li
            className="grid col-span-full grid-cols-subgrid items-center text-sm"
            key={use.resource}
            data-over={use.used >= use.limit || undefined}
          >
            <span className="text-ink2">{names[use.resource]}</span>
            <progress
              className="w-full h-2.5 accent-accent"
              max={use.limit}
              value={Math.min(use.used, use.limit)}
              aria-label={`${names[use.resource]}: ${amounts}`}
            />
            <span className="tabular-nums">{amounts}</span>
          </li>
        );
      })}
      {unknown.map(({ resource, why }) => (
        <li className="col-span-full text-sm text-ink2" key={resource}>
          {names[resource]}: {why}
        </li>
      ))}
    </ul>
  );
}

function shown({ resource }: Use, amount: number): string {
  if (resource === 'usd') return formatUsd(amount);
  if (resource === 'tokens') return formatCompact(amount);
  // Of a few minutes, seconds count.
  return amount < 10 ? String(Math.floor(amount * 100) / 100) : formatNumber(Math.floor(amount));
}
