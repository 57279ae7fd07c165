-- Emails that are refused after a mail server had accepted them.

alter table subscriptions
  -- The refusals in a row before the email that was accepted last: they count again if it comes back.
  add column earlier_refusals integer not null default 0;

-- Reports of refused emails that are handled, by what their sender calls them: a second copy is none.
create table bounce_reports (
  report_key text primary key,
  handled_at timestamptz not null
);

create index bounce_reports_by_age on bounce_reports (handled_at);

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
