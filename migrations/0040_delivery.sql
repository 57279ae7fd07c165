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
