-- What goes out at the moments of a cadence stood in three tables, each by a rule of its own. A run
-- that never ended is due again, and noon is the same day in nearly every time zone.
create table slots (
  name text primary key,
  slot timestamptz not null
);
insert into slots (name, slot)
select 'digests ' || cadence,
  case when changes_up_to is null then slot else slot - interval '1 second' end
from digest_runs
union all
select 'webhooks ' || cadence, min(last_slot)
from webhooks
where cadence <> 'immediate' and disabled_at is null and last_slot is not null
group by cadence
union all
select 'reminders daily', (day + time '12:00') at time zone 'UTC' from reminder_runs;
drop table digest_runs;
drop table reminder_runs;
alter table webhooks drop column last_slot;
-- A request for a link is answered at once.
drop table link_requests;
