-- One index for each way in which lists of sessions are sorted, and for each label that they are filtered by.
create index sessions_by_events on sessions (events, id);
create index sessions_by_turns on sessions (turns, id);
create index sessions_by_tool_calls on sessions (tool_calls, id);
create index sessions_by_characters on sessions (characters, id);
create index sessions_by_tokens on sessions (tokens, id);
create index sessions_by_usd on sessions (usd, id);
create index sessions_by_agent on sessions (agent, last_event_at, id);
create index sessions_by_model on sessions (model, last_event_at, id);
create index sessions_by_backend on sessions (backend, last_event_at, id);
create index sessions_by_tenant on sessions (tenant, last_event_at, id);
create index sessions_by_version on sessions (agent_version, last_event_at, id);
-- What is live or open is also stored of what has been quiet for long.
create index sessions_active on sessions (active_at) where state = 'live';
create index incidents_active on incidents (active_at) where state = 'open';
create index incidents_dismissed on incidents (id) where state = 'open' and (triage <> 'new' or mute_id is not null);
create index incidents_by_usd on incidents (usd, id);
