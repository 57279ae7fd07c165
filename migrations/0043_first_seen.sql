-- Since when a release is known: the day on which its source says that it was created, else the day
-- of the import in which it was first seen; the day of its last change says neither.

alter table items add column created date;
alter table incoming_items add column created date;

-- Of an added item: whether the source said that day.
alter table changes add column by_source boolean;

-- What was dated by the last change of the item was first seen by its import.
update changes set day = as_of
from import_runs
where import_runs.run_id = changes.run_id and kind = 'added' and day <> as_of
  -- A mirror carried over the days of its origin, in runs of their own that added nothing.
  and added > 0;

update change_entries set day = changes.day
from changes
where change_id = entry_id and changes.kind = 'added' and change_entries.day <> changes.day;
