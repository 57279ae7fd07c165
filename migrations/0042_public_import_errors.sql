-- What everybody may know of an import that failed: no word of its source.
alter table import_runs add column public_error text;
