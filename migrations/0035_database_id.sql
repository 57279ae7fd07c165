-- Tells databases apart: a cursor of the changes of one database means nothing in another one.
alter table service_state add column database_id uuid not null default gen_random_uuid();
