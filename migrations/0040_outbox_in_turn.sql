-- What waits for one receiver goes out one after another, in the order of the changes that it tells.

create index outbox_digests_in_turn on outbox (subscription_id, changes_up_to)
  where status = 'waiting' and subscription_id is not null;
create index outbox_webhooks_in_turn on outbox (webhook_id, changes_up_to)
  where status = 'waiting' and webhook_id is not null;
