import type {
  Breakdown,
  Budget,
  Erasure,
  IncidentDetail,
  IncidentItem,
  Overview,
  SessionMessage,
  Status,
} from '@loopwatch/contract/api';
import { noTriage } from '@loopwatch/contract/api';
import { incident, NOW, session, settingKey } from './rows.ts';

/** Answers as a server gives them, for components: what a page asks for is what it gets, and nothing else is there. */
export class FakeServer {
  incidents: IncidentItem[] = [];
  evidence: Record<string, unknown> = {};
  settings: Record<string, unknown> = {};
  /** Whether s-1 is. */
  erased = false;
  messages: SessionMessage[] = [];
  version = 0;
  sessionState: 'live' | 'ended' | 'idle' = 'live';
  sessionSettings: Record<string, unknown> = {};
  /** More about the session. */
  sessionParts: object = {};
  obeyedBy: 'hooks' | 'gateway' | 'guard' | null = null;
  invalid: { path: string; detail: string }[] = [];
  overview: Overview | undefined;
  status: Status | undefined;
  /** Answers that come before it, one a request. */
  nextOverviews: Overview[] = [];
  /** How often, and for what, the overview was asked. */
  readonly overviews: string[] = [];
  /** What the list of sessions was asked for. */
  readonly sessionLists: string[] = [];
  /** Every request that changes something. */
  readonly changes: { readonly method: string; readonly path: string; readonly body: unknown }[] = [];
  budgets: Budget[] = [];
  /** Set to make everything fail. */
  down = false;
  me = { required: false, user: { name: 'everybody', role: 'operator' }, methods: [] as string[] };

  readonly fetch = (address: string, init: RequestInit = {}): Promise<Response> => {
    if (this.down) return Promise.reject(new TypeError('Failed to fetch'));
    const url = new URL(address, 'http://localhost');
    const path = decodeURIComponent(url.pathname.replace('/api/v1', ''));
    const body: unknown = typeof init.body === 'string' ? JSON.parse(init.body) : undefined;
    const method = init.method ?? 'GET';
    if (method !== 'GET') this.changes.push({ method, path, body });
    const answer = this.#answer(method, path, url.searchParams, body);
    const status = answer === undefined ? 404 : 200;
    const text = JSON.stringify(answer ?? { type: 'about:blank', title: 'Not found', status: 404 });
    return Promise.resolve(new Response(text, { status }));
  };

  #answer(method: string, path: string, query: URLSearchParams, body: unknown): unknown {
    if (path === '/auth/me') return this.me;
    if (path === '/status') return this.status;
    if (path === '/overview') {
      this.overviews.push(query.toString());
      return this.nextOverviews.shift() ?? this.overview;
    }
    if (path === '/stats' && query.get('groupBy') === 'tool') return byTool(this.incidents);
    if (path === '/budgets') {
      const session = query.get('session');
      return { budgets: this.budgets.filter(({ subject }) => session === null || subject === session) };
    }
    if (path === '/incidents' && method === 'GET') return this.#list(query);
    if (path === '/incidents') {
      const { ids, change } = body as { ids: string[]; change: Partial<IncidentItem['triage']> };
      this.incidents = this.incidents.map((item) => (ids.includes(item.id) ? judged(item, change) : item));
      return { items: this.incidents.filter(({ id }) => ids.includes(id)), missing: [] };
    }
    if (path.startsWith('/incidents/')) {
      const found = this.incidents.find(({ id }) => path === `/incidents/${id}`);
      return found && (incident({ ...found, evidence: this.evidence }) satisfies IncidentDetail);
    }
    if (path === '/sessions') {
      this.sessionLists.push(query.toString());
      const items = ['s-1', 's-2'].map((sessionId) => ({ ...session(), sessionId }));
      return { items, nextCursor: null, total: items.length };
    }
    if (path === '/sessions/s-1' && method === 'DELETE') {
      this.erased = true;
      const remains = [{ where: 'messages that notifications have sent', until: 'they are deleted there' }];
      return { sessions: 2, incidents: 1, messages: 0, records: 40, remains } satisfies Erasure;
    }
    if (path === '/sessions/s-1' && !this.erased)
      return {
        ...session(),
        ...this.sessionParts,
        state: this.sessionState,
        incidentItems: this.incidents,
        settings: this.sessionSettings,
        ...(this.sessionSettings['stopped'] === true && { stopped: true }),
      };
    if (path === '/sessions/s-1/stop') {
      const stopped = method === 'POST';
      this.sessionSettings = stopped ? { stopped } : {};
      return { stopped, obeyedBy: this.obeyedBy };
    }
    if (path === '/sessions/s-1/messages')
      return { items: this.messages, nextCursor: null, total: this.messages.length };
    if (path === '/settings') return { keys, scopes: [] };
    if (path.startsWith('/settings/')) {
      if (method === 'PUT') {
        this.settings = (body as { set: Record<string, unknown> }).set;
        this.version += 1;
      }
      return {
        scope: path.slice('/settings/'.length),
        set: this.settings,
        version: this.version,
        updatedAt: null,
        updatedBy: null,
        invalid: this.invalid,
        effective: [
          { path: 'privacy.store_text', value: true, origin: { tier: 'default', name: null } },
          ...keys.map(({ path: key }) => ({
            path: key,
            value: this.settings[key] ?? 5,
            origin: { tier: key in this.settings ? 'server' : 'preset', name: 'balanced' },
          })),
        ],
      };
    }
    return undefined;
  }

  #list(query: URLSearchParams): unknown {
    const states = query.getAll('state');
    const detectors = query.getAll('detector');
    const agents = query.getAll('agent');
    const items = this.incidents.filter(
      ({ state, detector, agent }) =>
        (states.length === 0 || states.includes(state)) &&
        (detectors.length === 0 || detectors.includes(detector)) &&
        (agents.length === 0 || agents.includes(agent ?? '')),
    );
    return { items, nextCursor: null, total: items.length };
  }
}

/** The number of incidents by tool; nothing is said of their cost. */
function byTool(items: readonly IncidentItem[]): Breakdown {
  const amounts = (incidents: number) => ({
    incidents,
    sessions: incidents,
    calls: 0,
    tokens: null,
    usd: null,
    unpriced: 0,
    activity: { sessions: 2, calls: 0, tokens: null, usd: null, unpriced: 0, priced: 0, usdSquares: null },
  });
  const tools = items.flatMap(({ tool }) => tool?.name ?? []);
  return {
    groupBy: 'tool',
    from: 0,
    to: NOW,
    previous: null,
    other: null,
    apart: { limits: 0, outages: 0 },
    groups: [...new Set(tools)].map((value) => ({
      value,
      ...amounts(tools.filter((tool) => tool === value).length),
    })),
    total: amounts(tools.length),
  };
}

function judged(item: IncidentItem, change: Partial<IncidentItem['triage']>): IncidentItem {
  const { revision } = item.triage;
  return {
    ...item,
    triage: { ...noTriage, ...item.triage, ...change, by: 'everybody', at: NOW, revision: revision + 1 },
  };
}

const keys = [settingKey()];
