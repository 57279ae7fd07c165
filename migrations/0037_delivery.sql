-- When each subscriber is told, of what besides lists, and what a digest tells, stored once for all
-- whom it tells the same.

alter table subscriptions
  add column cadence text not null default 'weekly'
    check (cadence in ('immediate', 'daily', 'weekly')),
  -- Releases to watch. Where no list narrows, these alone are told.
  add column releases uuid[] not null default '{}',
  -- Nothing goes out before that day.
  add column paused_until date,
  -- What somebody asked for at an address that is verified, until its owner saves preferences.
  add column asked jsonb,
  -- How often in a row the mail server has refused the address for good, and what it said then.
  add column refusals integer not null default 0,
  add column refused_at timestamptz,
  add column refusal_reason text;

-- Subscribers with the same key are told the same. The text of an array depends on no setting.
create function filter_key(
  variant text, products text[], types text[], statuses text[], releases uuid[]
) returns text
  language sql immutable parallel safe
  return md5(row(variant, products, types, statuses, releases)::text);

alter table subscriptions
  add column filter_key text not null
    generated always as (filter_key(variant, products, types, statuses, releases)) stored;

-- Whom a run of digests tells the same.
create index subscriptions_by_filter on subscriptions (filter_key, subscription_id)
  where state = 'verified';

-- A mailbox that refuses is set aside, until somebody verifies it anew.
alter table subscriptions drop constraint subscriptions_state_check;
alter table subscriptions
  add constraint subscriptions_state_check
    check (state in ('unverified', 'verified', 'unsubscribed', 'bounced')),
  add constraint subscriptions_refused_at_check check (state <> 'bounced' or refused_at is not null);

create or replace function refuse_wrong_transition() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' and new.state <> 'unverified' then
    raise exception 'A new subscription is unverified, not %', new.state
      using errcode = 'check_violation';
  end if;
  if tg_op = 'UPDATE' and old.state <> new.state and (old.state, new.state) not in (
    ('unverified', 'verified'), ('unverified', 'unsubscribed'),
    ('verified', 'unsubscribed'), ('unsubscribed', 'unverified'),
    ('verified', 'bounced'), ('bounced', 'unverified'), ('bounced', 'unsubscribed')
  ) then
    raise exception 'A subscription does not go from % to %', old.state, new.state
      using errcode = 'check_violation';
  end if;
  return new;
end
$$;

create table digests (
  digest_id uuid primary key default gen_random_uuid(),
  content jsonb not null,
  created_at timestamptz not null
);

create index digests_by_age on digests (created_at);

insert into digests (digest_id, content, created_at)
select mail_id, digest, created_at from outbox where digest is not null;

-- The outbox says who is told (a subscription; other receivers have a column of their own), of which
-- kind the message is, and what became of it.
alter table outbox add column digest_id uuid references digests;
update outbox set digest_id = mail_id where digest is not null;
alter table outbox
  drop column digest,
  drop constraint outbox_kind_check,
  -- preferences: leads a verified address to what was asked for it
  add constraint outbox_kind_check check (kind in ('verification', 'preferences', 'digest')),
  add constraint outbox_forgets_what_is_over
    check (digest_id is null or kind = 'digest' and status = 'waiting');

create index outbox_by_digest on outbox (digest_id) where digest_id is not null;
drop index outbox_by_verification;
-- How many mails were asked for within the last hour.
create index outbox_by_request on outbox (created_at) where kind <> 'digest';

-- How far the schedule of each cadence has come.
create table digest_runs (
  cadence text primary key check (cadence in ('daily', 'weekly')),
  -- The moment of the schedule that is being served, or was served last.
  slot timestamptz not null,
  -- The last change that this run tells, for as long as it runs.
  changes_up_to bigint
);
