-- Several sources: every item belongs to one of them, and so does every import.

alter table items add column source text not null default 'default';
-- What a snapshot misses is missing among the items of its source; and which sources there are.
create index items_by_source on items (source) where active;

alter table import_runs add column source_name text not null default 'default';
-- The last import of each source, and the last one that ended well.
create index import_runs_by_source on import_runs (source_name, run_id desc);

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
