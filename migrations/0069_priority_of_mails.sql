-- Emails go out by a priority of their own, not by the alphabet of their kinds, and a reminder is called
-- so.

alter table outbox drop constraint outbox_kind_check;
update outbox set kind = 'reminder' where kind = 'due';
alter table outbox
  add constraint outbox_kind_check
    check (kind in ('verification', 'preferences', 'reminder', 'digest', 'webhook')),
  -- What somebody waits for in front of a screen comes first.
  add column priority smallint not null generated always as (
    case kind when 'verification' then 1 when 'preferences' then 2 when 'reminder' then 3 else 4 end
  ) stored;

drop index outbox_by_due;
create index outbox_by_due on outbox (priority, due_at)
  where status = 'waiting' and webhook_id is null;
