-- A release has one or more products, and tags in named groups.

-- The first of product_names is product_name.
alter table items
  add column product_names text[],
  add column tags jsonb not null default '{}';
update items set product_names = array[product_name];
alter table items
  alter column product_names set not null,
  add check (product_names[1] = product_name);

alter table incoming_items
  add column product_names text[],
  add column tags jsonb not null default '{}';

create index items_by_products on items using gin (product_names);
