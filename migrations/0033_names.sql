-- The field's words for how far a subscription has been notified, and no table that nobody reads.

alter table subscriptions rename column told_up_to to last_notified_change;
alter table outbox rename column told_after to changes_after;
alter table outbox rename column told_up_to to changes_up_to;

drop table copies;
