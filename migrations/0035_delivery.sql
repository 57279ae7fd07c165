-- What goes out: digests, reminders and webhooks, each to its receiver in turn.

-- What a digest tells, stored once for all whom it tells the same, and kept for its page.
create table digests (
  digest_id uuid primary key default gen_random_uuid(),
  content jsonb not null,
  created_at timestamptz not null
);

create index digests_by_age on digests (created_at);

-- At most one digest of a subscriber waits: what changes meanwhile joins it. What several tell that
-- wait already comes in the last of them. They were written in one list, which tells of edited releases.
with waiting as (
  select subscription_id,
    (array_agg(mail_id order by created_at desc, mail_id))[1] as mail_id,
    max(created_at) as created_at,
    sum(jsonb_array_length(digest->'items') + coalesce((digest->>'more')::int, 0)) as total
  from outbox
  where digest is not null and status = 'waiting'
  group by subscription_id
)
insert into digests (digest_id, content, created_at)
select mail_id,
  jsonb_build_object(
    'total', total,
    'days', days,
    'groups', jsonb_build_array(jsonb_build_object('kind', 'edited', 'items', items))
  ),
  created_at
from waiting
cross join lateral (
  select
    jsonb_build_object('first', min(item->>'day'), 'last', max(item->>'day')) as days,
    coalesce(jsonb_agg(jsonb_build_object(
      'release_item_id', item->'release_item_id',
      'feature_name', item->'feature_name',
      'details', concat_ws(
        ' · ', item->>'product_name', item->>'release_status', item->>'release_type',
        item->>'release_date'
      ),
      'changes', (
        select coalesce(jsonb_agg(jsonb_build_object('text', change)), '[]')
        from jsonb_array_elements(item->'changes') as change
      )
    ) order by outbox.created_at, outbox.mail_id, place), '[]') as items
  from outbox
  cross join jsonb_array_elements(digest->'items') with ordinality as items (item, place)
  where outbox.subscription_id = waiting.subscription_id and status = 'waiting'
) as told;

create table webhooks (
  webhook_id uuid primary key default gen_random_uuid(),
  name text not null unique,
  kind text not null check (kind in (
    'standard', 'slack', 'teams', 'discord', 'mattermost', 'googlechat', 'telegram', 'ntfy', 'apprise'
  )),
  -- What a list may show of its address: that of a chat is a secret as a whole.
  shown_url text not null,
  -- The address and the secret that signs, as encrypted JSON.
  target bytea not null,
  -- The parameters of the filter, each with its values.
  filter jsonb not null default '{}',
  -- It gets what has changed at once, or in one message a day or a week.
  cadence text not null default 'immediate' check (cadence in ('immediate', 'daily', 'weekly')),
  -- The last moment of its cadence for which its changes were put into the outbox.
  last_slot timestamptz check ((cadence = 'immediate') = (last_slot is null)),
  -- The last change that it was told, or that there was when it was added or enabled.
  last_notified_change bigint not null,
  created_at timestamptz not null,
  -- Null: it is told.
  disabled_at timestamptz,
  disabled_reason text,
  check ((disabled_at is null) = (disabled_reason is null))
);

-- What one import has to tell, as it stood then, once for all webhooks with the same filter.
create table webhook_payloads (
  payload_id uuid primary key default gen_random_uuid(),
  content jsonb not null
);

-- The outbox says who is told, of which kind the message is, and what became of it.
alter table outbox
  alter column subscription_id drop not null,
  -- The changes that a message tells: after the first id, up to the second. Where it fails for good
  -- they count as untold again.
  add column changes_after bigint,
  add column changes_up_to bigint,
  add column digest_id uuid references digests,
  add column webhook_id uuid references webhooks on delete cascade,
  add column payload_id uuid references webhook_payloads;

-- What joins a digest is written with all its changes: those from the first of its releases on.
update outbox
set digest_id = mail_id,
  changes_after = (
    select min(change_id) - 1
    from outbox as mails
    cross join jsonb_array_elements(mails.digest->'items') as item
    join changes on changes.release_item_id = (item->>'release_item_id')::uuid
      and changes.day >= (item->>'day')::date
    where mails.subscription_id = outbox.subscription_id and mails.status = 'waiting'
  ),
  changes_up_to = last_notified_change
from subscriptions
where subscriptions.subscription_id = outbox.subscription_id
  and mail_id in (select digest_id from digests);
update outbox set status = 'superseded', finished_at = now()
where digest is not null and digest_id is null and status = 'waiting';

alter table outbox
  drop column digest,
  drop constraint outbox_kind_check,
  -- preferences: leads a verified address to what was asked for it
  add constraint outbox_kind_check
    check (kind in ('verification', 'preferences', 'reminder', 'digest', 'webhook')),
  -- What somebody waits for in front of a screen comes first.
  add column priority smallint not null generated always as (
    case kind when 'verification' then 1 when 'preferences' then 2 when 'reminder' then 3 else 4 end
  ) stored,
  -- Each message has one receiver.
  add constraint outbox_receiver_check check (
    case kind
      when 'webhook' then webhook_id is not null and subscription_id is null
      else webhook_id is null and subscription_id is not null
    end
  ),
  -- Only what waits needs its words.
  add constraint outbox_forgets_what_is_over
    check (digest_id is null or kind = 'digest' and status = 'waiting'),
  add constraint outbox_forgets_payloads
    check (payload_id is null or kind = 'webhook' and status = 'waiting');

create index outbox_by_digest on outbox (digest_id) where digest_id is not null;
create index outbox_by_webhook on outbox (webhook_id, created_at) where webhook_id is not null;
create index outbox_by_payload on outbox (payload_id) where payload_id is not null;
-- Requests are limited by what they bring, whatever else is sent.
create index outbox_by_request on outbox (created_at)
  where kind in ('verification', 'preferences');

create unique index outbox_one_waiting_digest on outbox (subscription_id)
  where kind = 'digest' and status = 'waiting';
-- What waits for one webhook goes out one after another, in the order of the changes that it tells.
create index outbox_webhooks_in_turn on outbox (webhook_id, changes_up_to)
  where status = 'waiting' and webhook_id is not null;

-- Mails and webhooks are sent side by side, and neither looks through what waits of the other.
drop index outbox_by_due;
create index outbox_by_due on outbox (priority, due_at)
  where status = 'waiting' and webhook_id is null;
create index outbox_webhooks_by_due on outbox (attempts, due_at)
  where status = 'waiting' and webhook_id is not null;

-- How far the schedule of each cadence has come.
create table digest_runs (
  cadence text primary key check (cadence in ('daily', 'weekly')),
  -- The moment of the schedule that is being served, or was served last.
  slot timestamptz not null,
  -- The last change that this run tells, for as long as it runs.
  changes_up_to bigint
);

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

-- Up to which change a service outside, such as a WebSub hub, has been notified that pages changed.
create table notified_services (
  service text primary key,
  change_id bigint not null
);
