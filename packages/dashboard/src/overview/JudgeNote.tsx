import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { statusQuery } from '../api/status.ts';
import { formatNumber, plural } from '../lib/format.ts';

/** Says that semantic loops are not found, because the model that judges does not answer. */
export function JudgeNote() {
  const { data } = useQuery({ ...statusQuery, refetchInterval: 60_000, staleTime: 60_000 });
  const judge = data?.judge;
  if (!judge?.failing) return null;
  return (
    <p className="px-3 py-1.5 rounded-md bg-warm-soft text-warm text-sm" role="note">
      The semantic judge is failing: {formatNumber(judge.failed)} of {plural(judge.checks, 'check')} failed,
      so semantic loops are missed.{' '}
      <Link to="/status" className="underline" activeProps={{}}>
        Status
      </Link>
    </p>
  );
}
