import { weeklyReportSchema } from '@loopwatch/contract/api';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { request } from './client.ts';

/** @param week undefined: the latest complete one */
export function weeklyReportQuery(week: string | undefined) {
  return queryOptions({
    queryKey: ['weekly-report', week],
    queryFn: ({ signal }) => request(weeklyReportSchema, '/reports/weekly', { query: { week }, signal }),
    placeholderData: keepPreviousData,
  });
}
