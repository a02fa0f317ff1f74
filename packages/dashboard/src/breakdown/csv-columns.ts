import type { Breakdown } from '@loopwatch/contract/api';
import type { CsvColumns } from '../list/csv.ts';

/** Columns of the CSV file. */
export const csvColumns: CsvColumns<Breakdown['groups'][number]> = {
  value: ({ value }) => value,
  loops: ({ incidents }) => incidents,
  sessions: ({ sessions }) => sessions,
  calls: ({ calls }) => calls,
  tokens: ({ tokens }) => tokens,
  usd: ({ usd }) => usd,
  loops_of_unknown_price: ({ unpriced }) => unpriced,
  previous_loops: ({ previous }) => previous?.incidents ?? null,
  previous_sessions: ({ previous }) => previous?.sessions ?? null,
  previous_calls: ({ previous }) => previous?.calls ?? null,
  previous_tokens: ({ previous }) => previous?.tokens ?? null,
  previous_usd: ({ previous }) => previous?.usd ?? null,
};
