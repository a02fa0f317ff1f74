import type { Budget } from '@loopwatch/contract/api';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { budgetsQuery } from '../api/budgets.ts';
import { visibleText } from '../lib/visible-text.ts';
import { Card } from '../ui/layout/Card.tsx';
import { BudgetBars } from './BudgetBars.tsx';

const MAX_SHOWN = 6;

const notes: Readonly<Record<Budget['per'], string>> = {
  session: 'of live sessions',
  agent: 'of each agent today, UTC',
  tenant: 'of each tenant today, UTC',
  day: 'of today, UTC',
};

/** What is used of the budgets that apply now; nothing without a budget. */
export function BudgetsCard() {
  const { data } = useQuery(budgetsQuery());
  const [first] = data?.budgets ?? [];
  if (data === undefined || first === undefined) return null;
  return (
    <Card title="Budgets" note={notes[first.per]}>
      <ul className="grid grid-cols-[repeat(auto-fill,minmax(300px,1fr))] gap-x-8 gap-y-4">
        {data.budgets.slice(0, MAX_SHOWN).map((budget) => (
          <li className="grid content-start gap-2 min-w-0" key={budget.subject}>
            <Owner budget={budget} />
            <Bars budget={budget} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** What a session has used of its own budget; nothing without one. */
export function SessionBudget({ sessionId }: { readonly sessionId: string }) {
  const { data } = useQuery(budgetsQuery(sessionId));
  const [budget] = data?.budgets ?? [];
  if (budget === undefined) return null;
  return (
    <Card title="Budget" note="of this session">
      <Bars budget={budget} />
    </Card>
  );
}

function Owner({ budget: { per, subject, sessionTitle } }: { readonly budget: Budget }) {
  if (per !== 'session') return <b className="font-550 truncate">{visibleText(subject)}</b>;
  return (
    <Link
      className="font-550 truncate hover:underline"
      to="/sessions/$id"
      params={{ id: subject }}
      dir="auto"
    >
      {visibleText(sessionTitle ?? subject)}
    </Link>
  );
}

const reasons = {
  no_usage: 'the agent reports no usage, so this limit cannot take effect',
  no_price: 'the model has no price, so this limit cannot take effect',
} as const;

function Bars({ budget: { uses, unknown = [] } }: { readonly budget: Budget }) {
  return (
    <BudgetBars uses={uses} unknown={unknown.map(({ resource, why }) => ({ resource, why: reasons[why] }))} />
  );
}
