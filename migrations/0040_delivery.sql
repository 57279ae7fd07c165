-- Whether an email came back, or its mailbox refused it for good: a mailbox whose newest emails all
-- did is set aside, whenever that becomes known.
alter table outbox add column came_back boolean not null default false;
update outbox set came_back = true
from subscriptions
where outbox.subscription_id = subscriptions.subscription_id
  and refusals + earlier_refusals > 0
  and (status = 'failed' or status = 'sent' and last_error is not null);
alter table subscriptions drop column earlier_refusals;

-- Who marked an email as spam wants no more, as someone who unsubscribed.
update subscriptions set unsubscribed_at = refused_at
where state = 'bounced' and unsubscribed_at is null
  and refusal_reason ~ '(marked as spam|SpamComplaint)';

-- A digest is made when it is sent. What waits owes everything up to a change, and a subscription
-- stands at the last change that was sent; until now it stood at what was queued.
update outbox
set changes_up_to = greatest(changes_up_to, last_notified_change)
from subscriptions
where subscriptions.subscription_id = outbox.subscription_id
  and kind = 'digest' and status = 'waiting';
update subscriptions
set last_notified_change = least(last_notified_change, changes_after)
from outbox
where subscriptions.subscription_id = outbox.subscription_id
  and kind = 'digest' and status = 'waiting';
update outbox set changes_after = null where kind = 'digest';
alter table outbox drop column digest_id;

-- What goes out at the moments of a cadence stood in three tables, each by a rule of its own. A run
-- that never ended is due again, and noon is the same day in nearly every time zone.
create table slots (
  name text primary key,
  slot timestamptz not null
);
insert into slots (name, slot)
select 'digests ' || cadence,
  case when changes_up_to is null then slot else slot - interval '1 second' end
from digest_runs
union all
select 'webhooks ' || cadence, min(last_slot)
from webhooks
where cadence <> 'immediate' and disabled_at is null and last_slot is not null
group by cadence
union all
select 'reminders daily', (day + time '12:00') at time zone 'UTC' from reminder_runs;
drop table digest_runs;
drop table reminder_runs;
alter table webhooks drop column last_slot;
-- A request for a link is answered at once.
drop table link_requests;
