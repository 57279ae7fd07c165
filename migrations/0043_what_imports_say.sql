-- What an import said besides its counts: rows that were left out, by the reason, and notes.

alter table import_runs
  add column left_out jsonb,
  add column notes jsonb;
