-- At most one digest of a subscriber waits: what changes meanwhile joins it. What several tell that
-- wait already is pending again, and comes in one.

with several as (
  select subscription_id, min(changes_after) as changes_after
  from outbox
  where kind = 'digest' and status = 'waiting'
  group by subscription_id
  having count(*) > 1
),
pending as (
  update subscriptions
  set last_notified_change = least(last_notified_change, changes_after)
  from several
  where subscriptions.subscription_id = several.subscription_id
)
update outbox
set status = 'superseded', finished_at = now(), digest_id = null
from several
where outbox.subscription_id = several.subscription_id and kind = 'digest' and status = 'waiting';

drop index outbox_digests_in_turn;
create unique index outbox_one_waiting_digest on outbox (subscription_id)
  where kind = 'digest' and status = 'waiting';
