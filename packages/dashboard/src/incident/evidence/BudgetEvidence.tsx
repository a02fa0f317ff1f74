import type { EvidenceOf } from '@loopwatch/contract';
import { formatCompact, formatNumber, formatUsd, plural } from '../../lib/format.ts';
import { Card } from '../../ui/layout/Card.tsx';
import type { ViewProps } from './view.ts';

type Use = EvidenceOf<'budget'>['uses'][number];

const names: Readonly<Record<Use['resource'], string>> = {
  tokens: 'Tokens',
  usd: 'Dollars',
  calls: 'Tool calls',
  minutes: 'Minutes',
  sub_agents: 'Sub-agents',
  sub_agent_levels: 'Levels of sub-agents',
};

/** Each limit of a budget as a bar, the most used one first. */
export function BudgetEvidence({ evidence: { per, subject, uses, unpricedTurns } }: ViewProps<'budget'>) {
  const owner = subject ?? `this ${per}`;
  const isOfSubAgents = uses.some(({ resource }) => resource.startsWith('sub_agent'));
  return (
    <Card
      title={isOfSubAgents ? 'Limit' : 'Budget'}
      note={isOfSubAgents ? `for session ${owner}` : `for ${owner}; warning at 80%`}
    >
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
      </ul>
      {unpricedTurns !== undefined && uses.some(({ resource }) => resource === 'usd') && (
        <p className="mt-3 text-sm text-ink2">
          The dollar amount excludes {plural(unpricedTurns, 'turn')} whose model has no price. Add prices in{' '}
          <code>prices</code>.
        </p>
      )}
    </Card>
  );
}

function shown({ resource }: Use, amount: number): string {
  if (resource === 'usd') return formatUsd(amount);
  return resource === 'tokens' ? formatCompact(amount) : formatNumber(Math.floor(amount));
}
