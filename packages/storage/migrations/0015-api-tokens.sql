-- Tokens that operators created, each with a name and a role.
create table api_tokens (
  id text primary key,
  name text not null unique,
  role text not null,
  -- SHA-256 in hex: the token itself is stored nowhere.
  hash text not null unique,
  created_at float8 not null,
  created_by text not null,
  -- Null: never.
  expires_at float8,
  last_used_at float8
);
