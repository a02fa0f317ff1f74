import type { Breakdown } from '@loopwatch/contract/api';
import type { CsvColumns } from '../list/csv.ts';
import { loopRate, spendShare } from './rates.ts';

/** Columns of the CSV file. */
export const csvColumns: CsvColumns<Breakdown['groups'][number]> = {
  value: ({ value }) => value,
  loops: ({ incidents }) => incidents,
  sessions: ({ sessions }) => sessions,
  calls: ({ calls }) => calls,
  tokens: ({ tokens }) => tokens,
  usd: ({ usd }) => usd,
  loops_of_unknown_price: ({ unpriced }) => unpriced,
  all_sessions: ({ activity }) => activity.sessions,
  all_calls: ({ activity }) => activity.calls,
  all_tokens: ({ activity }) => activity.tokens,
  all_usd: ({ activity }) => activity.usd,
  sessions_of_unknown_price: ({ activity }) => activity.unpriced,
  loops_per_100_sessions: (group) => loopRate(group),
  share_of_usd: (group) => spendShare(group),
  previous_loops: ({ previous }) => previous?.incidents ?? null,
  previous_sessions: ({ previous }) => previous?.sessions ?? null,
  previous_calls: ({ previous }) => previous?.calls ?? null,
  previous_tokens: ({ previous }) => previous?.tokens ?? null,
  previous_usd: ({ previous }) => previous?.usd ?? null,
  previous_all_sessions: ({ previous }) => previous?.activity.sessions ?? null,
  previous_all_usd: ({ previous }) => previous?.activity.usd ?? null,
  previous_loops_per_100_sessions: ({ previous }) => (previous === undefined ? null : loopRate(previous)),
};
