-- expand: a process of 0.3.0 sends on beside a newer one. It does not see the pause and keeps a rate of its own.

-- What all processes that send emails know together, in one row.
create table mail_state (
  only_row boolean primary key default true check (only_row),
  -- No email leaves until then, as it failed so often, for a reason that is the same for all.
  paused_until timestamptz,
  pause_kind text check (pause_kind in ('away', 'refused', 'busy')),
  pause_reason text,
  pauses int not null default 0,
  -- Where emails go out at a rate: when the next one may, by the clock of the database.
  next_turn_at timestamptz,
  -- The last change for which digests were queued that go out right after an import.
  notified_up_to bigint not null default 0
);
insert into mail_state (notified_up_to) select coalesce(max(change_id), 0) from changes;

-- A mailbox refused this email, which waits, as that may be about us and not about the mailbox.
alter table outbox add column is_refused boolean not null default false;
create index outbox_refused on outbox (subscription_id) where is_refused;

-- What needs attention is listed and counted without what is finished.
create index outbox_unsent on outbox (status, created_at) where status in ('waiting', 'failed');

create index subscriptions_by_host on subscriptions (split_part(email, '@', 2))
where state = 'verified';
