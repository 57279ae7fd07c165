-- Several sources: every release belongs to one of them, and so does every import.

alter table items add column source text not null default 'default';
-- What a snapshot misses is missing among the items of its source; and which sources there are.
create index items_by_source on items (source) where active;

alter table import_runs
  add column source_name text not null default 'default',
  -- The first import of a source is not news: nobody is told of each release that it brings.
  add column is_news boolean not null default true,
  -- How many characters or escapes of the source were repaired; null: this is not known.
  add column repaired integer,
  -- Of a refused import: how many active items each product has, and how many would be removed.
  add column refused jsonb,
  -- The order of day and month in its dates, for later imports that do not prove it.
  add column day_order text check (day_order in ('DMY', 'MDY'));

update import_runs set is_news = false
where run_id = (select min(run_id) from import_runs where finished_at is not null and error is null);

-- The last import of each source, and the last one that ended well.
create index import_runs_by_source on import_runs (source_name, run_id desc);
create index import_runs_without_news on import_runs (run_id) where not is_news;

-- An import is planned by reading only.
drop table incoming_items;

-- The pages that the items of each source were taken from last, and how those were read, to ask
-- whether anything has changed: after another import an answer "unchanged" says nothing about them.
create table source_pages (
  source text primary key,
  read_as jsonb not null,
  pages jsonb not null
);

insert into source_pages
select 'default', jsonb_build_object('location', location, 'kind', kind), pages from last_source;

drop table last_source;

-- A schedule is named after its source from now on, no longer after an address.
delete from schedules where name like 'sync %';
-- So many items may the next scheduled import remove, whatever their share; null: as always.
alter table schedules add column accepted_removals int;

alter table service_state
  -- Tells databases apart: a cursor of the changes of one database means nothing in another one.
  add column database_id uuid not null default gen_random_uuid(),
  -- Raised by "sign out everywhere".
  add column admin_generation int not null default 0;

-- Variant B's server-side cache under the name that its code has. Responses can be built again, so
-- they need not reach the write-ahead log, its archives and standbys. PostgreSQL empties an unlogged
-- table after a crash.
drop table copies;
create unlogged table cached_responses (
  -- SHA-256 of the normalised request, because a request may be longer than an index row.
  key_hash bytea primary key,
  -- gzip
  body bytea not null,
  headers jsonb not null,
  built_at timestamptz not null,
  -- The process that revalidates a stale response has it to itself until then.
  revalidate_until timestamptz
);

-- The oldest responses go first.
create index cached_responses_by_age on cached_responses (built_at);

-- What the feed of a source was read from last, to ask whether anything has changed.
create table announcement_feeds (
  source text primary key,
  address text not null,
  validators jsonb,
  read_at timestamptz not null,
  -- Why it could not be read; null: it was.
  error text
);

create table announcement_posts (
  source text not null,
  -- One post may have several addresses.
  post_key text not null,
  -- The address under which it was first read.
  url text not null,
  title text not null,
  published date,
  headings text[] not null default '{}',
  -- The releases that it links to, of any source.
  linked uuid[] not null default '{}',
  -- The operator says that it announces no release.
  rejected boolean not null default false,
  read_at timestamptz not null default now(),
  primary key (source, post_key)
);

create table announcement_matches (
  release_item_id uuid primary key references items on delete cascade,
  source text not null,
  post_key text not null,
  -- `set`: by the operator.
  reason text not null check (reason in ('set', 'link', 'name')),
  foreign key (source, post_key) references announcement_posts on delete cascade
);

create index announcement_matches_by_post on announcement_matches (source, post_key);
