-- Who subscribed to what, the links they were sent, and the mails that are to go out.

create table subscriptions (
  subscription_id uuid primary key default gen_random_uuid(),
  -- Trimmed, in lower case, its domain in A-labels (RFC 5890).
  email text not null unique,
  state text not null default 'unverified'
    check (state in ('unverified', 'verified', 'unsubscribed')),
  -- What the person wishes to hear of; an empty list does not narrow.
  products text[] not null default '{}',
  types text[] not null default '{}',
  statuses text[] not null default '{}',
  -- The variant of the interface at whose site the person subscribed.
  variant text not null check (variant in ('A', 'B')),
  -- The last request that a mail was sent for.
  requested_at timestamptz not null,
  verified_at timestamptz,
  unsubscribed_at timestamptz,
  check (state <> 'verified' or verified_at is not null),
  check (state <> 'unsubscribed' or unsubscribed_at is not null)
);

-- The scheduled removal, and counting by state.
create index subscriptions_by_state on subscriptions (state, requested_at);

create function refuse_wrong_transition() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' and new.state <> 'unverified' then
    raise exception 'A new subscription is unverified, not %', new.state
      using errcode = 'check_violation';
  end if;
  if tg_op = 'UPDATE' and old.state <> new.state and (old.state, new.state) not in (
    ('unverified', 'verified'), ('unverified', 'unsubscribed'),
    ('verified', 'unsubscribed'), ('unsubscribed', 'unverified')
  ) then
    raise exception 'A subscription does not go from % to %', old.state, new.state
      using errcode = 'check_violation';
  end if;
  return new;
end
$$;

create trigger subscriptions_go_by_the_rules before insert or update of state on subscriptions
  for each row execute function refuse_wrong_transition();

-- Links that were sent. Of a link only its hash is kept, and it is made when its mail is sent.
create table verification_tokens (
  token_hash bytea primary key,
  subscription_id uuid not null references subscriptions on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- Followed with success; voided by a newer request or by unsubscribing.
  used_at timestamptz,
  voided_at timestamptz
);

create index verification_tokens_by_subscription on verification_tokens (subscription_id);
create index verification_tokens_by_age on verification_tokens (created_at);

-- Verification mails: what waits, and what became of the others.
create table outbox (
  mail_id uuid primary key default gen_random_uuid(),
  subscription_id uuid not null references subscriptions on delete cascade,
  status text not null default 'waiting'
    -- logged: there is no mail server; superseded: a newer request or a visited link made it void
    check (status in ('waiting', 'sent', 'logged', 'failed', 'superseded')),
  created_at timestamptz not null,
  due_at timestamptz not null,
  -- Temporary failures are retried until then.
  give_up_at timestamptz not null,
  attempts integer not null default 0,
  -- The process that sends it has it to itself until then.
  leased_until timestamptz,
  finished_at timestamptz,
  last_error text
);

-- What is due; the mails of one subscription; the scheduled removal.
create index outbox_by_due on outbox (due_at) where status = 'waiting';
create index outbox_by_subscription on outbox (subscription_id, created_at);
create index outbox_by_age on outbox (created_at);

-- Signs the unsubscribe links where TOKEN_SECRET is unset; made when it is first needed.
create table token_secret (
  only_row boolean primary key default true check (only_row),
  secret text not null
);

-- How often a client asked within the running hour, in the shape that rate-limiter-flexible
-- expects; `expire` is in milliseconds since 1970. Losing it harms nobody, so it is not logged.
create unlogged table request_counts (
  key varchar(255) primary key,
  points integer not null default 0,
  expire bigint
);
