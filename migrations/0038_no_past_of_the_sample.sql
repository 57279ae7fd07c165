-- The first import replaced the releases of the sample, but left its imports: two years of days on
-- which nobody had looked at the roadmap that came after it.
delete from import_runs
where source = 'the sample roadmap'
  and not (select holds_sample from service_state)
  and not exists (select from changes where changes.run_id = import_runs.run_id)
  and not exists (select from change_entries where change_entries.run_id = import_runs.run_id);
