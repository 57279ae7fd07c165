-- The roadmap: its items, every change they went through, and the imports that brought them.

create extension if not exists pg_trgm;

-- What holds for the whole database: exactly one row.
create table service_state (
  only_row boolean primary key default true check (only_row),
  -- Raised in the transaction of every import that changed something.
  data_version bigint not null default 1,
  -- The items are those of the sample; the first real import replaces them wholly.
  holds_sample boolean not null default false
);

insert into service_state default values;

create table import_runs (
  run_id integer generated always as identity primary key,
  source text not null,
  as_of date not null,
  partial boolean not null,
  started_at timestamptz not null default now(),
  finished_at timestamptz,
  added integer,
  changed integer,
  removed integer,
  restored integer,
  unchanged integer,
  error text
);

create table items (
  release_item_id uuid primary key,
  feature_name text not null,
  release_date date,
  release_type text not null,
  release_status text not null,
  product_id uuid,
  product_name text not null,
  feature_description text,
  blog_title text,
  blog_url text,
  last_modified date not null,
  active boolean not null default true,
  -- Name, description and product in folded case, so that every script compares without case.
  search_text text not null
);

-- The two orders of a collection, for the first page of active items and for counting along.
create index items_by_modification on items
  (last_modified desc, release_date desc nulls last, release_item_id desc) where active;
create index items_by_release_date on items
  (release_date desc nulls last, last_modified desc, release_item_id desc) where active;
-- A look back over removed items as well: the changelog.
create index items_by_day on items (last_modified);
create index items_by_product on items (product_name);
-- `like '%word%'` without reading the whole table.
create index items_by_substring on items using gin (search_text gin_trgm_ops);

create table changes (
  change_id bigint generated always as identity primary key,
  release_item_id uuid not null references items on delete cascade,
  -- Changes of one run are one modification.
  run_id integer not null references import_runs,
  day date not null,
  kind text not null check (kind in ('added', 'changed', 'removed', 'restored')),
  -- The column that changed, and its old and new value as text; null where there is no value.
  field text check ((field is not null) = (kind = 'changed')),
  old_value text,
  new_value text,
  -- Of an added item: the columns that had a value.
  fields text[] check ((fields is not null) = (kind = 'added'))
);

-- An item's history, and what it went through on one day.
create index changes_by_item on changes (release_item_id, day);

-- What an import has read and not applied yet. Nothing is lost with it, so it is not logged.
create unlogged table incoming_items (
  run_id integer not null references import_runs on delete cascade,
  release_item_id uuid not null,
  feature_name text not null,
  release_date date,
  release_type text not null,
  release_status text not null,
  product_id uuid,
  product_name text not null,
  feature_description text,
  blog_title text,
  blog_url text,
  last_modified date,
  search_text text not null,
  primary key (run_id, release_item_id)
);
