-- Gmail delivers j.ann@gmail.com and jann@googlemail.com to one person: neither the dots nor the name
-- of the domain counts. What follows a plus sign is left out for every domain, as before.
create or replace function mailbox_of(email text) returns text
  language sql immutable strict parallel safe
  return case
    when email ~ '@(gmail|googlemail)\.com$'
    then replace(split_part(split_part(email, '@', 1), '+', 1), '.', '') || '@gmail.com'
    else regexp_replace(email, '^([^@+]+)\+[^@]*@', '\1@')
  end;

-- A generated column is computed again only by making it again.
alter table subscriptions drop column mailbox;
alter table subscriptions
  add column mailbox text not null generated always as (mailbox_of(email)) stored;
create index subscriptions_by_mailbox on subscriptions (mailbox);
