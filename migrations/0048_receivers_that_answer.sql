-- expand: 0.3.0 does not note it, and gives webhooks up as it always did.

-- When the receiver of a webhook last answered, whatever it said. While none does, our own network is
-- to blame.
alter table webhooks add column answered_at timestamptz;
