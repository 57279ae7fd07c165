-- Work that comes back, done by one process at a time over all that share the database.
create table schedules (
  name text primary key,
  due_at timestamptz not null default now(),
  -- The process that has the work to itself until then, unless it says before that it goes on.
  holder text,
  held_until timestamptz,
  -- How often in a row it has failed.
  failures integer not null default 0
);

-- The address that the items were taken from last, to ask it whether anything has changed: at most
-- one row, because after another import an answer "unchanged" says nothing about our items.
create table last_source (
  only_row boolean primary key default true check (only_row),
  location text not null,
  kind text,
  pages jsonb not null
);
