-- Webhooks: other systems and chats that are told of each import that changed something for them.

create table webhooks (
  webhook_id uuid primary key default gen_random_uuid(),
  name text not null unique,
  kind text not null check (kind in ('standard', 'slack', 'teams', 'discord')),
  -- What a list may show of its address: that of a chat is a secret as a whole.
  shown_url text not null,
  -- The address and the secret that signs, as encrypted JSON.
  target bytea not null,
  -- The parameters of the filter, each with its values.
  filter jsonb not null default '{}',
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

alter table outbox
  alter column subscription_id drop not null,
  add column webhook_id uuid references webhooks on delete cascade,
  add column payload_id uuid references webhook_payloads,
  drop constraint outbox_kind_check,
  add constraint outbox_kind_check
    check (kind in ('verification', 'preferences', 'digest', 'webhook')),
  -- Each message has one receiver.
  add constraint outbox_receiver_check check (
    case kind
      when 'webhook' then webhook_id is not null and subscription_id is null
      else webhook_id is null and subscription_id is not null
    end
  ),
  add constraint outbox_forgets_payloads
    check (payload_id is null or kind = 'webhook' and status = 'waiting');

create index outbox_by_webhook on outbox (webhook_id, created_at) where webhook_id is not null;
create index outbox_by_payload on outbox (payload_id) where payload_id is not null;

-- Mails and webhooks are sent side by side, and neither looks through what waits of the other.
drop index outbox_by_due;
create index outbox_by_due on outbox (kind desc, due_at)
  where status = 'waiting' and webhook_id is null;
create index outbox_webhooks_by_due on outbox (attempts, due_at)
  where status = 'waiting' and webhook_id is not null;
