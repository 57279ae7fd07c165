-- Watched releases remind some days before their planned day.

-- What a subscriber was reminded of: once for each planned day, and never of more days than before.
create table reminders (
  subscription_id uuid not null references subscriptions on delete cascade,
  release_item_id uuid not null,
  planned_on date not null,
  days_before smallint not null,
  mail_id uuid references outbox on delete set null,
  primary key (subscription_id, release_item_id, planned_on)
);

create index reminders_by_mail on reminders (mail_id) where mail_id is not null;
create index reminders_by_day on reminders (planned_on);

-- The last day whose reminders were queued.
create table reminder_runs (
  only_row boolean primary key default true check (only_row),
  day date not null
);

alter table outbox
  drop constraint outbox_kind_check,
  add constraint outbox_kind_check
    check (kind in ('verification', 'preferences', 'due', 'digest', 'webhook'));

-- Requests are limited by what they bring, whatever else is sent.
drop index outbox_by_request;
create index outbox_by_request on outbox (created_at)
  where kind in ('verification', 'preferences');
