-- A dry run puts the items that it reads aside as an import does, but is none.
alter table import_runs add column is_preview boolean not null default false;
