import { BudgetBars } from '../../budgets/BudgetBars.tsx';
import { plural } from '../../lib/format.ts';
import { Card } from '../../ui/layout/Card.tsx';
import type { ViewProps } from './view.ts';

/** Each limit of a budget as a bar, the most used one first. */
export function BudgetEvidence({ evidence: { per, subject, uses, unpricedTurns } }: ViewProps<'budget'>) {
  const owner = subject ?? `this ${per}`;
  const isOfSubAgents = uses.some(({ resource }) => resource.startsWith('sub_agent'));
  return (
    <Card
      title={isOfSubAgents ? 'Limit' : 'Budget'}
      note={isOfSubAgents ? `for session ${owner}` : `for ${owner}; warning at 80%`}
    >
      <BudgetBars uses={uses} />
      {unpricedTurns !== undefined && uses.some(({ resource }) => resource === 'usd') && (
        <p className="mt-3 text-sm text-ink2">
          The dollar amount excludes {plural(unpricedTurns, 'turn')} whose model has no price. Add prices in{' '}
          <code>prices</code>.
        </p>
      )}
    </Card>
  );
}
