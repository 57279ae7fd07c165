-- expand: a process of 0.3.0 goes on; what it removes or fills in meanwhile counts as an import.

-- What a run was: the reading of a source, the removal of one, a day of the sample, or, of earlier
-- versions, posts that were filled in. It is good once it has ended without an error.
alter table import_runs
  add column run_kind text not null default 'import'
    check (run_kind in ('import', 'removal', 'sample', 'announcements')),
  add column is_good boolean not null
    generated always as (finished_at is not null and error is null) stored;
update import_runs
set run_kind = case
  when source = '(removed)' then 'removal'
  when source_name = '(announcements)' then 'announcements'
  else 'sample'
end
where source in ('(removed)', 'the sample roadmap') or source_name = '(announcements)';
