-- How often a mailbox may be mailed, and what is kept of a mail that came to its end.

-- Mail servers deliver ann+news@example.com to ann@example.com (RFC 5233), so that one person has
-- any number of addresses: what counts for a limit is the mailbox.
create function mailbox_of(email text) returns text
  language sql immutable strict parallel safe
  return regexp_replace(email, '^([^@+]+)\+[^@]*@', '\1@');

alter table subscriptions
  add column mailbox text not null generated always as (mailbox_of(email)) stored,
  -- The last verification mail after somebody had unsubscribed; null again once they verify.
  add column mailed_since_unsubscribing_at timestamptz;

create index subscriptions_by_mailbox on subscriptions (mailbox);

update subscriptions set mailed_since_unsubscribing_at = requested_at
where state = 'unverified' and unsubscribed_at is not null;

alter table outbox
  -- The changes that a digest tells: after the first id, up to the second. Where it fails for good
  -- they count as untold again.
  add column told_after bigint,
  add column told_up_to bigint;

-- Only a mail that waits needs its words.
update outbox set digest = null where status <> 'waiting';
alter table outbox
  add constraint outbox_forgets_what_is_over check (digest is null or status = 'waiting');

-- Somebody waits for a verification mail, so that those go first, however many digests there are.
drop index outbox_by_due;
create index outbox_by_due on outbox (kind desc, due_at) where status = 'waiting';
-- How many verification mails there were within the last hour.
create index outbox_by_verification on outbox (created_at) where kind = 'verification';
