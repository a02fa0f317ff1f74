-- Times are epoch milliseconds in float8; `doc` columns hold JSON of the contract's types, as text where SQL never reads inside.

-- Numbers every change, so that pages can ask for what changed since.
create sequence changes;

-- Per topic partition, the offset of the first record that is not stored yet.
create table topic_offsets (
  topic text not null,
  partition integer not null,
  next_offset bigint not null,
  primary key (topic, partition)
);

-- Narrow, because statistics read hundreds of thousands of rows; the whole verdicts are in verdict_docs.
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
create index verdicts_by_time on verdicts (detected_at, id);
create index verdicts_by_incident on verdicts (incident_id);
create index verdicts_by_session on verdicts (session_id, detected_at, id);

create table verdict_docs (
  id text primary key references verdicts (id) on delete cascade,
  doc text not null
);

-- Narrow, because lists filter a hundred thousand rows; what only one page shows is in incident_docs.
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
  agent_version text,
  model text,
  backend text,
  tenant text,
  tags jsonb,
  tool text,
  detected_at float8 not null,
  last_at float8 not null,
  -- Wall clock of the session's latest event; how long ago that is decides what counts as quiet.
  active_at float8 not null,
  -- Index of the session's event up to which the numbers below count.
  event_index float8 not null default -1,
  count float8 not null,
  calls float8 not null,
  turns float8 not null,
  -- -1: unknown. One value instead of null keeps sorting and paging to one comparison.
  tokens float8 not null,
  usd float8 not null default -1,
  duration float8 not null,
  confidence float8 not null,
  latency_ms float8,
  -- What the session reports about the open incident since its latest verdict.
  figures text,
  triage text not null default 'new',
  muted_until float8,
  assignee text,
  -- The mute that applies longest, and until when; the incident's own triage has priority.
  mute_id text,
  mute_until float8,
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
create index incidents_by_assignee on incidents (assignee) where assignee is not null;
create index incidents_by_mute on incidents (mute_id) where mute_id is not null;
create index incidents_open on incidents (detected_at, id) where state = 'open';
create index incidents_triaged on incidents (triage, session_id) where triage <> 'new';

-- Evidence has its own column because lists do not need it.
create table incident_docs (
  id text primary key references incidents (id) on delete cascade,
  fold text not null,
  evidence text not null
);

-- Does not reference incidents: a decision may be read before the verdicts of its incident.
create table triage (
  incident_id text primary key,
  revision integer not null,
  -- The latest revision that is in the topic; later ones are still to be written there.
  published integer not null,
  at float8 not null,
  doc jsonb not null,
  history jsonb not null
);
create index triage_unpublished on triage (at) where published < revision;

-- Mutes by cause. A null cause column matches any value.
create table mutes (
  id text primary key,
  detector text,
  tool text,
  group_key text,
  agent text,
  model text,
  tenant text,
  -- null: without end.
  until float8,
  -- Upper bounds of the incidents that are muted; null: no bound.
  max_action integer,
  max_count float8,
  max_tokens float8,
  at float8 not null,
  doc jsonb not null,
  -- Removed mutes stay, so that a late record does not restore them.
  removed boolean not null default false,
  published boolean not null default false,
  change bigint not null default nextval('changes')
);
create index mutes_by_change on mutes (change);

create table sessions (
  id text primary key,
  change bigint not null,
  state text not null,
  agent text,
  agent_version text,
  model text,
  backend text,
  tenant text,
  tags jsonb,
  started_at float8 not null,
  last_event_at float8 not null,
  -- Wall clock of the latest event.
  active_at float8 not null,
  events float8 not null,
  turns float8 not null,
  tool_calls float8 not null,
  characters float8 not null,
  -- -1: unknown, as in incidents.
  tokens float8 not null,
  usd float8 not null default -1,
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

-- Messages of the conversations that pass through gateways.
create table messages (
  number bigint generated always as identity primary key,
  session_id text not null,
  at float8 not null,
  role text not null,
  doc jsonb not null
);
create index messages_by_session on messages (session_id, number);

create table settings (
  scope text primary key,
  change bigint not null,
  version integer not null,
  values jsonb not null,
  updated_at float8 not null,
  updated_by text not null
);

-- One row: totals of the incidents that retention deleted, so that all-time statistics stay complete.
create table deleted_totals (
  singleton boolean primary key default true check (singleton),
  incidents bigint not null default 0,
  since float8,
  recovered bigint not null default 0,
  ended bigint not null default 0,
  disabled bigint not null default 0,
  calls bigint not null default 0,
  tokens float8,
  usd float8,
  last_run_at float8
);
insert into deleted_totals default values;

-- One row: whether the sample sessions were stopped.
create table samples (
  singleton boolean primary key default true check (singleton),
  stopped boolean not null default false
);
insert into samples default values;

-- Inserted by the sample player before the session's first event.
create table sample_sessions (
  id text primary key,
  at float8 not null,
  removed boolean not null default false
);

-- Logins that were ended before they expired; a row is needed only until then.
create table revoked_logins (
  id text primary key,
  expires_at float8 not null
);

-- What the sessions of an agent, a tenant or the whole server used on one day.
create table budget_uses (
  id text primary key,
  per text not null,
  subject text not null,
  -- YYYY-MM-DD, UTC.
  day text not null,
  tokens float8 not null default 0,
  usd float8 not null default 0,
  calls float8 not null default 0,
  minutes float8 not null default 0,
  -- The latest session that used the budget; while an incident is open, the one that opened it.
  session_id text not null,
  -- 0: nothing reported; 1: warned; 2: reported as used up.
  reported_level integer not null default 0,
  -- The limits and their use in the latest report.
  reported_uses jsonb not null default '[]',
  -- A budget that is raised and used up again has a new incident.
  incidents integer not null default 0,
  -- JSON list of the sessions that were stopped: one that a person resumed is not stopped again.
  stopped_sessions jsonb not null default '[]'
);

-- Delivery state of each configured notification. One server at a time holds the lease and sends.
create table notification_channels (
  name text primary key,
  -- Incidents detected before are not sent.
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

-- One row per notification and incident, written in the incident's transaction.
create table notification_messages (
  name text not null,
  incident_id text not null references incidents (id) on delete cascade,
  -- The strongest action so far, or `resolved`; `sent` is the state that was sent last.
  state text not null,
  sent text,
  due_since float8 not null,
  -- When to try next; null: there is nothing to send.
  due_at float8,
  attempts integer not null default 0,
  sent_at float8,
  first_sent_at float8,
  -- The receiver's id of the message.
  ref text,
  -- The digest that contains it.
  digest text,
  -- Why it was not delivered.
  failed text,
  primary key (name, incident_id)
);
create index notification_messages_by_incident on notification_messages (incident_id);
create index notification_messages_due on notification_messages (name, due_at) where due_at is not null;
create index notification_messages_first on notification_messages (name, first_sent_at) where first_sent_at is not null;

-- Notifications that were configured on the settings page.
create table page_notifications (
  name text primary key,
  -- An entry of the configuration, secrets included.
  entry jsonb not null,
  created_by text not null,
  created_at float8 not null
);

-- Replies by their id at the model's API, with the session they belong to.
create table gateway_replies (
  id text primary key,
  session_id text not null,
  -- Only for synthetic responses, which the model's API does not know: the request and the response.
  request text,
  response text,
  at float8 not null
);
create index gateway_replies_by_time on gateway_replies (at);
