-- Digests: mails that tell subscribers what has changed, and up to where each of them was told.

alter table subscriptions
  -- The last change (changes.change_id) that a digest has covered, or that there was when the
  -- person was verified. Ids and not days: an import may bring changes of days long past.
  add column told_up_to bigint not null default 0;

-- Who is verified already is told what was imported since then.
update subscriptions
set told_up_to = coalesce(
  (
    select max(change_id)
    from changes join import_runs using (run_id)
    where import_runs.finished_at <= subscriptions.verified_at
  ),
  0
)
where state = 'verified';

alter table outbox
  add column kind text not null default 'verification' check (kind in ('verification', 'digest')),
  -- What a digest tells, as it stood when it was queued; forgotten when the mail is out.
  add column digest jsonb,
  add check (digest is null or kind = 'digest');
