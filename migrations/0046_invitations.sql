-- expand: a process of 0.3.0 cannot write an invitation: it postpones it, and a newer one sends it.

-- invitation: has an address confirm that was brought along from another service
alter table outbox
  drop constraint outbox_kind_check,
  add constraint outbox_kind_check
    check (kind in ('verification', 'preferences', 'reminder', 'digest', 'invitation', 'webhook'));
