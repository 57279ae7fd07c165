-- What a subscription covers and when its emails come, and which mailbox they go to.

-- The field's words for how far a subscription has been notified.
alter table subscriptions rename column told_up_to to last_notified_change;

-- Mail servers deliver ann+news@example.com to ann@example.com (RFC 5233), and Gmail j.ann@gmail.com
-- and jann@googlemail.com to one person: what counts for a limit is the mailbox.
create function mailbox_of(email text) returns text
  language sql immutable strict parallel safe
  return case
    when email ~ '@(gmail|googlemail)\.com$'
    then replace(split_part(split_part(email, '@', 1), '+', 1), '.', '') || '@gmail.com'
    else regexp_replace(email, '^([^@+]+)\+[^@]*@', '\1@')
  end;

alter table subscriptions
  add column mailbox text not null generated always as (mailbox_of(email)) stored,
  -- The last verification mail after somebody had unsubscribed; null again once they verify.
  add column mailed_since_unsubscribing_at timestamptz,
  add column cadence text not null default 'weekly'
    check (cadence in ('immediate', 'daily', 'weekly')),
  -- Nothing goes out before that day.
  add column paused_until date,
  -- What somebody asked for at an address that is verified, until its owner saves preferences.
  add column asked jsonb,
  -- How often in a row the mail server has refused the address for good, and what it said then.
  add column refusals integer not null default 0,
  add column refused_at timestamptz,
  add column refusal_reason text,
  -- The refusals in a row before the email that was accepted last: they count again if it comes back.
  add column earlier_refusals integer not null default 0,
  -- all: every release; chosen: those that match the filter, and watched ones; watched: these alone.
  add column scope text not null default 'all' check (scope in ('all', 'chosen', 'watched')),
  -- Of the form that webhooks have: its lists are sorted and without duplicates, none is empty.
  add column filter jsonb not null default '{}',
  -- Releases to watch.
  add column releases uuid[] not null default '{}',
  -- Digests also list what is planned for the next 30 days and what is overdue.
  add column upcoming boolean not null default true,
  -- Watched releases remind some days before their planned day.
  add column reminders boolean not null default true;

create index subscriptions_by_mailbox on subscriptions (mailbox);

update subscriptions set mailed_since_unsubscribing_at = requested_at
where state = 'unverified' and unsubscribed_at is not null;

create function pg_temp.sorted(list text[]) returns jsonb
  language sql immutable
  return (
    select jsonb_agg(value order by value collate "C")
    from (select distinct value from unnest(list) as value) as listed
  );

update subscriptions
set scope = 'chosen',
  filter = jsonb_strip_nulls(jsonb_build_object(
    'product_name', pg_temp.sorted(products),
    'release_type', pg_temp.sorted(types),
    'release_status', pg_temp.sorted(statuses)
  ))
where products || types || statuses <> '{}';

drop function pg_temp.sorted(text[]);

-- Subscribers with the same key get the same. The text of jsonb and of an array depends on no setting.
create function filter_key(
  variant text, scope text, filter jsonb, releases uuid[], upcoming boolean
) returns text
  language sql immutable parallel safe
  return md5(row(variant, scope, filter, releases, upcoming)::text);

alter table subscriptions
  drop column products, drop column types, drop column statuses,
  add constraint subscriptions_chosen_check check (scope <> 'chosen' or filter <> '{}'),
  add column filter_key text not null
    generated always as (filter_key(variant, scope, filter, releases, upcoming)) stored,
  -- A mailbox that refuses is set aside, until somebody verifies it anew.
  drop constraint subscriptions_state_check,
  add constraint subscriptions_state_check
    check (state in ('unverified', 'verified', 'unsubscribed', 'bounced')),
  add constraint subscriptions_refused_at_check check (state <> 'bounced' or refused_at is not null);

create index subscriptions_by_filter on subscriptions (filter_key, subscription_id)
  where state = 'verified';

-- An operator may take a mailbox back that was set aside.
create or replace function refuse_wrong_transition() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' and new.state <> 'unverified' then
    raise exception 'A new subscription is unverified, not %', new.state
      using errcode = 'check_violation';
  end if;
  if tg_op = 'UPDATE' and old.state <> new.state and (old.state, new.state) not in (
    ('unverified', 'verified'), ('unverified', 'unsubscribed'),
    ('verified', 'unsubscribed'), ('unsubscribed', 'unverified'),
    ('verified', 'bounced'), ('bounced', 'unverified'), ('bounced', 'unsubscribed'),
    ('bounced', 'verified')
  ) then
    raise exception 'A subscription does not go from % to %', old.state, new.state
      using errcode = 'check_violation';
  end if;
  return new;
end
$$;

-- Reports of refused emails that are handled, by what their sender calls them: a second copy is none.
create table bounce_reports (
  report_key text primary key,
  handled_at timestamptz not null
);

create index bounce_reports_by_age on bounce_reports (handled_at);

-- Who asked for the link to their preferences. Each request is written the same, whether the address
-- is subscribed or not, so that its time shows nothing; the sender of mails takes it from here.
create table link_requests (
  email text primary key,
  requested_at timestamptz not null
);
