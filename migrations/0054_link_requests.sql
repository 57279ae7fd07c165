-- Who asked for the link to their preferences. Each request is written the same, whether the address
-- is subscribed or not, so that its time shows nothing; the sender of mails takes it from here.

create table link_requests (
  email text primary key,
  requested_at timestamptz not null
);
