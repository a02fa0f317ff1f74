import * as api from '@loopwatch/contract/api';
import * as z from 'zod';
import { statsParameters } from '../../stats/stats-query.ts';
import type { Tag } from './tag.ts';

export const statistics: Tag = {
  name: 'Statistics',
  description: 'Counts and costs of a time range.',
  operations: {
    '/stats': {
      get: {
        id: 'getStats',
        description:
          'Returns statistics of a time range, or with groupBy the cost of loops by agent, model and other dimensions',
        answer: z.union([api.statsSchema, api.breakdownSchema]),
        query: z.object({ ...api.breakdownQuerySchema.shape, ...statsParameters.shape }),
        problems: [400],
      },
    },
    '/overview': {
      get: {
        id: 'getOverview',
        description: 'Returns a snapshot for the overview page',
        answer: api.overviewSchema,
        query: api.overviewQuerySchema,
        problems: [400],
      },
    },
    '/budgets': {
      get: {
        id: 'listBudgets',
        description: 'Lists what is used of the budgets that apply now',
        answer: api.budgetsSchema,
        query: api.budgetQuerySchema,
        problems: [400],
      },
    },
    '/reports/weekly': {
      get: {
        id: 'getWeeklyReport',
        description: 'Returns what happened in a week, compared with the week before',
        answer: api.weeklyReportSchema,
        query: api.weeklyReportQuerySchema,
        problems: [400],
      },
    },
    '/deploys': {
      get: {
        id: 'listDeploys',
        description: 'Lists when versions of agents started to run',
        answer: api.deploysSchema,
        query: api.deployQuerySchema,
        problems: [400],
      },
      post: {
        id: 'addDeploy',
        description: 'Marks a deploy on charts, as a pipeline does that deploys an agent',
        answer: api.deploySchema,
        status: 201,
        body: api.deployPostSchema,
        example: { version: '2.4.0', agent: 'checkout-agent' },
        problems: [400, 413],
      },
    },
    '/deploys/{id}': {
      delete: { id: 'deleteDeploy', description: 'Deletes a posted deploy', status: 204, problems: [404] },
    },
  },
};

export const backtests: Tag = {
  name: 'Backtests',
  description: 'Run recorded sessions with other settings.',
  operations: {
    '/backtests': {
      get: {
        id: 'listBacktests',
        description: 'Lists backtests, newest first, without results',
        answer: api.backtestListSchema,
      },
      post: {
        id: 'startBacktest',
        description: 'Starts a backtest: runs recorded sessions with other settings',
        answer: api.backtestSchema,
        status: 202,
        body: api.backtestRequestSchema,
        example: {
          variants: [
            { name: 'now', set: {} },
            { name: 'stricter', set: { 'tool_call_loop.max_repeats': 3 } },
          ],
          sessions: { labelled: true },
        },
        problems: [400, 413],
      },
    },
    '/backtests/{id}': {
      get: {
        id: 'getBacktest',
        description: 'Returns a backtest with its progress and results',
        answer: api.backtestSchema,
        problems: [404],
      },
      delete: {
        id: 'cancelBacktest',
        description: 'Cancels a running backtest',
        answer: api.backtestSchema,
        problems: [404],
      },
    },
    '/exports/labels.jsonl': {
      get: {
        id: 'exportLabels',
        description: 'Exports triaged sessions as labels for `npm run eval`',
        answer: 'application/x-ndjson',
      },
    },
    '/exports/events.jsonl': {
      get: {
        id: 'exportEvents',
        description: 'Exports the events of triaged sessions',
        answer: 'application/x-ndjson',
      },
    },
  },
};
