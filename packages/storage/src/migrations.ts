/** The database's form, step by step. A step that has been released is never changed; a new one follows it. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
}

export const migrations: readonly Migration[] = [
  {
    number: 1,
    name: 'verdicts, incidents, sessions, triage, settings, positions',
    sql: `
create sequence changes;

create table positions (
  topic text not null,
  partition integer not null,
  next bigint not null,
  primary key (topic, partition)
);

create table verdicts (
  id text primary key,
  incident_id text not null,
  session_id text not null,
  detector text not null,
  phase text not null,
  model text,
  agent text,
  detected_at float8 not null,
  latency_ms float8,
  doc jsonb not null
);
create index verdicts_by_time on verdicts (detected_at, id);
create index verdicts_by_incident on verdicts (incident_id);
create index verdicts_by_session on verdicts (session_id, detected_at, id);

-- Narrow, so that filtering a hundred thousand reads little; what is shown lies in incident_docs.
create table incidents (
  id text primary key,
  change bigint not null,
  group_key text not null,
  detector text not null,
  kind text not null,
  state text not null,
  action text not null,
  outcome text,
  session_id text not null,
  agent text,
  model text,
  backend text,
  tenant text,
  tool text,
  detected_at float8 not null,
  last_at float8 not null,
  count float8 not null,
  calls float8 not null,
  turns float8 not null,
  -- -1: the producer reports none. One value instead of null keeps sorting and paging to one comparison.
  tokens float8 not null,
  duration float8 not null,
  confidence float8 not null,
  latency_ms float8,
  triage text not null default 'new',
  muted_until float8,
  search text not null
);
create index incidents_by_change on incidents (change);
create index incidents_by_time on incidents (detected_at, id);
create index incidents_by_last on incidents (last_at, id);
create index incidents_by_count on incidents (count, id);
create index incidents_by_calls on incidents (calls, id);
create index incidents_by_tokens on incidents (tokens, id);
create index incidents_by_duration on incidents (duration, id);
create index incidents_by_confidence on incidents (confidence, id);
create index incidents_by_session on incidents (session_id, detected_at);
create index incidents_by_group on incidents (group_key, detected_at);
create index incidents_by_detector on incidents (detector, detected_at, id);
create index incidents_open on incidents (detected_at, id) where state = 'open';
create index incidents_judged on incidents (triage, session_id) where triage <> 'new';

create table incident_docs (
  id text primary key references incidents (id) on delete cascade,
  row jsonb not null,
  fold jsonb not null
);

-- Not tied to incidents: a decision may be read before the verdicts it is about.
create table triage (
  incident_id text primary key,
  revision integer not null,
  -- Of the revision that is in the topic; what is behind is still to be written there.
  published integer not null,
  at float8 not null,
  doc jsonb not null,
  history jsonb not null
);
create index triage_unpublished on triage (at) where published < revision;

create table sessions (
  id text primary key,
  change bigint not null,
  state text not null,
  agent text,
  model text,
  backend text,
  tenant text,
  started_at float8 not null,
  last_event_at float8 not null,
  events float8 not null,
  turns float8 not null,
  tool_calls float8 not null,
  characters float8 not null,
  tokens float8 not null,
  incidents_open float8 not null,
  incidents float8 not null,
  updated_at float8 not null,
  search text not null,
  doc jsonb not null
);
create index sessions_by_change on sessions (change);
create index sessions_by_last on sessions (last_event_at, id);
create index sessions_by_start on sessions (started_at, id);
create index sessions_by_incidents on sessions (incidents, id);
create index sessions_live on sessions (last_event_at, id) where state = 'live';

create table settings (
  scope text primary key,
  change bigint not null,
  version integer not null,
  values jsonb not null,
  updated_at float8 not null,
  updated_by text not null
);

-- What retention has taken, so that sums over all time stay true.
create table dropped (
  one boolean primary key default true check (one),
  incidents bigint not null default 0,
  since float8,
  recovered bigint not null default 0,
  ended bigint not null default 0,
  disabled bigint not null default 0,
  calls bigint not null default 0,
  tokens float8,
  last_run_at float8
);
insert into dropped default values;
`,
  },
  {
    number: 2,
    name: 'narrow verdicts, folds without repetition',
    sql: `
-- Narrow, as incidents are: statistics read hundreds of thousands of them.
alter table verdicts rename to verdict_docs;
alter table verdict_docs rename constraint verdicts_pkey to verdict_docs_pkey;
create table verdicts (
  id text primary key,
  incident_id text not null,
  session_id text not null,
  detector text not null,
  phase text not null,
  model text,
  agent text,
  detected_at float8 not null,
  latency_ms float8
);
insert into verdicts select id, incident_id, session_id, detector, phase, model, agent, detected_at, latency_ms from verdict_docs;
alter table verdict_docs drop column incident_id, drop column session_id, drop column detector, drop column phase,
  drop column model, drop column agent, drop column detected_at, drop column latency_ms;
alter table verdict_docs add foreign key (id) references verdicts (id) on delete cascade;
create index verdicts_by_time on verdicts (detected_at, id);
create index verdicts_by_incident on verdicts (incident_id);
create index verdicts_by_session on verdicts (session_id, detected_at, id);

create function pg_temp.said(seen jsonb, what jsonb) returns jsonb language sql as
  'select case when what is null or what = ''null'' then ''null''::jsonb else jsonb_build_object(''value'', what, ''at'',
     jsonb_build_object(''eventIndex'', seen->''verdict''->''eventIndex'', ''phase'', seen->''verdict''->''phase'',
       ''id'', seen->''verdict''->''id'')) end';
update incident_docs set fold = (fold - 'loop') || jsonb_build_object(
  'latest', (fold->'seen'->-1->'verdict') - 'evidence' - 'guidance',
  'loopReason', pg_temp.said(fold->'loop', fold->'loop'->'verdict'->'reason'),
  'guidance', pg_temp.said(fold->'guidance', fold->'guidance'->'verdict'->'guidance'),
  'evidence', pg_temp.said(fold->'evidence', fold->'evidence'->'verdict'->'evidence'),
  'lastEvidence', pg_temp.said(fold->'lastEvidence', fold->'lastEvidence'->'verdict'->'evidence'),
  'seen', (select jsonb_agg(jsonb_build_object('id', v->'id', 'phase', v->'phase', 'action', v->'action', 'count', v->'count',
      'time', v->'time', 'eventIndex', v->'eventIndex', 'detectedAt', one.step->'detectedAt') order by one.n)
    from jsonb_array_elements(fold->'seen') with ordinality as one(step, n), lateral (select one.step->'verdict' as v) as inner_one)
);
drop function pg_temp.said(jsonb, jsonb);
`,
  },
  {
    number: 3,
    name: 'sessions, answers and messages of gateways',
    sql: `
create table gateway_sessions (
  id text primary key,
  -- The gateway that has it in memory; null: none has.
  owner text,
  -- Hash of the settings that the state was made under.
  settings text not null,
  -- Text, since nobody but a gateway looks into it; empty until it is kept for the first time.
  state text not null,
  expires_at float8 not null
);

create table gateway_settings (
  hash text primary key,
  doc text not null,
  used_at float8 not null
);

create table gateway_answers (
  id text primary key,
  session_id text not null,
  -- Of an answer of the gateway's own: what it answered, since the model's API does not know it.
  request text,
  told text,
  at float8 not null
);
create index gateway_answers_by_time on gateway_answers (at);

create table messages (
  number bigint generated always as identity primary key,
  session_id text not null,
  at float8 not null,
  role text not null,
  doc jsonb not null
);
create index messages_by_session on messages (session_id, number);
`,
  },
  {
    number: 4,
    name: 'documents as text, evidence beside them',
    sql: `
-- Nobody looks into them but the server, and jsonb takes twice as long to write. Lists need no evidence.
alter table incident_docs add column evidence text;
update incident_docs
  set evidence = jsonb_build_object('evidence', fold->'evidence', 'lastEvidence', fold->'lastEvidence')::text;
alter table incident_docs alter column evidence set not null;
alter table incident_docs drop column row;
alter table incident_docs alter column fold type text using (fold - 'evidence' - 'lastEvidence')::text;
alter table verdict_docs alter column doc type text using doc::text;
`,
  },
  {
    number: 5,
    name: 'when sessions were last active, and how open incidents stand',
    sql: `
-- Wall clock of the latest event; what has been silent for long counts as quiet, which is for the clock and not stored.
alter table sessions add column active_at float8;
update sessions set active_at = updated_at;
alter table sessions alter column active_at set not null;
alter table incidents add column active_at float8;
update incidents i set active_at = greatest(i.detected_at, (select s.active_at from sessions s where s.id = i.session_id));
alter table incidents alter column active_at set not null;
-- Index of the session's event that the numbers are as of, and what the session says of them since the latest verdict.
alter table incidents add column event_index float8 not null default -1;
alter table incidents add column standing text;
`,
  },
  {
    number: 7,
    name: 'sample sessions',
    sql: `
create table samples (
  one boolean primary key default true check (one),
  stopped boolean not null default false
);
insert into samples default values;

-- Marked by what plays them, before their first event.
create table sample_sessions (
  id text primary key,
  at float8 not null,
  removed boolean not null default false
);
`,
  },
  {
    number: 8,
    name: 'logins that have ended',
    sql: `
create table ended_sessions (
  id text primary key,
  -- When the login would have ended by itself.
  until float8 not null
);
`,
  },
  {
    number: 9,
    name: 'what incidents and sessions cost',
    sql: `
-- US dollars; -1 where they are not known.
alter table incidents add column usd float8 not null default -1;
alter table sessions add column usd float8 not null default -1;
alter table dropped add column usd float8;
`,
  },
  {
    number: 10,
    name: 'mutes by cause',
    sql: `
create table mutes (
  id text primary key,
  -- The cause: what is null fits anything.
  detector text,
  tool text,
  group_key text,
  agent text,
  model text,
  tenant text,
  -- null: for ever.
  until float8,
  -- What an incident may not exceed; null: there is no such limit.
  most_action integer,
  most_count float8,
  most_tokens float8,
  at float8 not null,
  doc jsonb not null,
  -- A removed one stays, so that a late record does not bring it back.
  removed boolean not null default false,
  published boolean not null default false,
  change bigint not null default nextval('changes')
);
create index mutes_by_change on mutes (change);
-- The mute that holds for the incident for longest, unless its own triage says otherwise, and until when.
alter table incidents add column mute_id text;
alter table incidents add column mute_until float8;
create index incidents_by_mute on incidents (mute_id) where mute_id is not null;
`,
  },
  {
    number: 11,
    name: 'notifications',
    sql: `
-- How delivery of each configured notification stands; one server at a time holds the lease and sends.
create table notification_channels (
  name text primary key,
  -- What was found before is not told.
  since float8 not null,
  seen_at float8 not null,
  owner text,
  lease_until float8 not null default 0,
  next_at float8 not null default 0,
  failures integer not null default 0,
  failing_since float8,
  error text,
  last_sent_at float8,
  sent bigint not null default 0,
  failed bigint not null default 0
);

-- A row for a notification and an incident, written with the incident.
create table notification_messages (
  name text not null,
  incident_id text not null references incidents (id) on delete cascade,
  -- The strongest action so far, or that it is resolved; and which of them was sent.
  state text not null,
  sent text,
  due_since float8 not null,
  -- Of the next attempt; null: nothing is to be sent.
  due_at float8,
  attempts integer not null default 0,
  sent_at float8,
  first_sent_at float8,
  -- What the receiver calls the message.
  ref text,
  -- The digest that stands for it.
  digest text,
  -- Why it was not delivered.
  failed text,
  primary key (name, incident_id)
);
create index notification_messages_by_incident on notification_messages (incident_id);
create index notification_messages_due on notification_messages (name, due_at) where due_at is not null;
create index notification_messages_first on notification_messages (name, first_sent_at) where first_sent_at is not null;
`,
  },
  {
    number: 12,
    name: 'agent versions and tags of incidents',
    sql: `
-- null where the events name none.
alter table incidents add column agent_version text;
alter table incidents add column tags jsonb;
`,
  },
  {
    number: 14,
    name: 'assignees of incidents',
    sql: `
alter table incidents add column assignee text;
create index incidents_by_assignee on incidents (assignee) where assignee is not null;
update triage set doc = '{"assignee": null}'::jsonb || doc,
  history = (
    select coalesce(jsonb_agg(change || jsonb_build_object(
      'from', '{"assignee": null}'::jsonb || (change->'from'), 'to', '{"assignee": null}'::jsonb || (change->'to')
    ) order by place), '[]')
    from jsonb_array_elements(history) with ordinality as changes (change, place)
  );
`,
  },
  {
    number: 15,
    name: 'budgets that sessions share',
    sql: `
-- What the sessions of an agent, a tenant or the whole server used in a day, and what was told of it.
create table budget_uses (
  id text primary key,
  per text not null,
  "of" text not null,
  -- YYYY-MM-DD, UTC.
  day text not null,
  tokens float8 not null default 0,
  usd float8 not null default 0,
  calls float8 not null default 0,
  minutes float8 not null default 0,
  -- The session that used last; once an incident is open, the one that opened it.
  session_id text not null,
  -- 0: nothing; 1: warned of; 2: used up.
  told integer not null default 0,
  -- The limits with what was used of them, as was told.
  uses jsonb not null default '[]',
  -- Incidents so far, of a budget that was raised and used up again.
  incidents integer not null default 0,
  -- Sessions that were stopped for it, as a JSON list: one that a person resumed is not stopped again.
  stopped jsonb not null default '[]'
);
`,
  },
  {
    number: 16,
    name: 'notifications set up in the page',
    sql: `
create table page_notifications (
  name text primary key,
  -- As in the configuration, secrets included.
  entry jsonb not null,
  by text not null,
  at float8 not null
);
`,
  },
  {
    number: 17,
    name: 'agent versions and tags of sessions',
    sql: `
-- null where the events name none, and of sessions that were summed up before.
alter table sessions add column agent_version text;
alter table sessions add column tags jsonb;
`,
  },
];
