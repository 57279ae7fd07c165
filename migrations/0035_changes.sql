-- Tells databases apart: a cursor of the changes of one database means nothing in another one.
alter table service_state add column database_id uuid not null default gen_random_uuid();

-- How far the changes of another such server have been taken over: its cursor.
alter table source_pages add column changes_after text;
