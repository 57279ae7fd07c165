-- The order of day and month in the dates of an import, for later ones that do not prove it.
alter table import_runs
  add column day_order text check (day_order in ('DMY', 'MDY'));
