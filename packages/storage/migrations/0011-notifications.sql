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
