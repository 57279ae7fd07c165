-- How many characters or escapes of the source were repaired; null: this is not known.
alter table import_runs add column repaired integer;
