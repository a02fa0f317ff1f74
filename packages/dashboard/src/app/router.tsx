import { fromSegment, toSegment } from '@loopwatch/contract/api';
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouterHistory,
} from '@tanstack/react-router';
import { loadCode } from '../lib/load-code.ts';
import { parseSearch, type Search, writeSearch } from '../lib/search.ts';
import { OverviewPage } from '../overview/OverviewPage.tsx';
import { PageSkeleton } from '../ui/feedback/PageSkeleton.tsx';
import { NotFound, PageError } from './fallbacks.tsx';
import { Root } from './Root.tsx';

/**
 * The routes do not validate search params: each page parses its own (`readIncidentSearch` etc.), so it can name the
 * unknown ones.
 */
const keepSearch = (search: Record<string, unknown>): Search => search as Search;

const root = createRootRoute({ component: Root, notFoundComponent: NotFound, validateSearch: keepSearch });

const overview = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: OverviewPage,
});
const breakdown = createRoute({
  getParentRoute: () => root,
  path: '/breakdown',
  component: lazyRouteComponent(
    () => loadCode(() => import('../breakdown/BreakdownPage.tsx')),
    'BreakdownPage',
  ),
});
const compare = createRoute({
  getParentRoute: () => root,
  path: '/compare',
  component: lazyRouteComponent(() => loadCode(() => import('../compare/ComparePage.tsx')), 'ComparePage'),
});
const report = createRoute({
  getParentRoute: () => root,
  path: '/report',
  component: lazyRouteComponent(() => loadCode(() => import('../report/ReportPage.tsx')), 'ReportPage'),
});
const incidents = createRoute({
  getParentRoute: () => root,
  path: '/incidents',
  component: lazyRouteComponent(
    () => loadCode(() => import('../incidents/IncidentsPage.tsx')),
    'IncidentsPage',
  ),
});
const incident = createRoute({
  getParentRoute: () => root,
  path: '/incidents/$id',
  component: lazyRouteComponent(() => loadCode(() => import('../incident/IncidentPage.tsx')), 'IncidentPage'),
});
const sessions = createRoute({
  getParentRoute: () => root,
  path: '/sessions',
  component: lazyRouteComponent(() => loadCode(() => import('../sessions/SessionsPage.tsx')), 'SessionsPage'),
});
const session = createRoute({
  getParentRoute: () => root,
  path: '/sessions/$id',
  params: {
    parse: ({ id }) => ({ id: fromSegment(id) }),
    stringify: ({ id }) => ({ id: toSegment(id) }),
  },
  component: lazyRouteComponent(() => loadCode(() => import('../session/SessionPage.tsx')), 'SessionPage'),
});
const tuning = createRoute({
  getParentRoute: () => root,
  path: '/tuning',
  component: lazyRouteComponent(() => loadCode(() => import('../tuning/TuningPage.tsx')), 'TuningPage'),
});
const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: lazyRouteComponent(() => loadCode(() => import('../settings/SettingsPage.tsx')), 'SettingsPage'),
});
const notifications = createRoute({
  getParentRoute: () => root,
  path: '/notifications',
  component: lazyRouteComponent(
    () => loadCode(() => import('../notifications/NotificationsPage.tsx')),
    'NotificationsPage',
  ),
});
const tokens = createRoute({
  getParentRoute: () => root,
  path: '/settings/tokens',
  component: lazyRouteComponent(() => loadCode(() => import('../tokens/TokensPage.tsx')), 'TokensPage'),
});
const audit = createRoute({
  getParentRoute: () => root,
  path: '/settings/audit',
  component: lazyRouteComponent(() => loadCode(() => import('../audit/AuditPage.tsx')), 'AuditPage'),
});
const status = createRoute({
  getParentRoute: () => root,
  path: '/status',
  component: lazyRouteComponent(() => loadCode(() => import('../status/StatusPage.tsx')), 'StatusPage'),
});

const connect = createRoute({
  getParentRoute: () => root,
  path: '/connect',
  component: lazyRouteComponent(() => loadCode(() => import('../connect/ConnectPage.tsx')), 'ConnectPage'),
});

const routeTree = root.addChildren([
  overview,
  breakdown,
  compare,
  report,
  incidents,
  incident,
  sessions,
  session,
  tuning,
  settings,
  notifications,
  tokens,
  audit,
  status,
  connect,
]);

export function createAppRouter(history?: RouterHistory) {
  return createRouter({
    routeTree,
    parseSearch,
    stringifySearch: writeSearch,
    defaultPendingComponent: PageSkeleton,
    defaultErrorComponent: PageError,
    defaultPendingMs: 150,
    ...(history !== undefined && { history }),
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
