-- One row: the key that signs the cookies of logins, in hexadecimal. Random, and independent of all tokens.
create table cookie_key (
  singleton boolean primary key default true check (singleton),
  key text not null
);
