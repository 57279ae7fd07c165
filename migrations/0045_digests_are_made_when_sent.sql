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
