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
