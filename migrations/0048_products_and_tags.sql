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
create index items_by_tags on items using gin (tags jsonb_path_ops);

-- The values of tags, which are searched by words beside the texts.
create function tag_words(tags jsonb) returns text
  language sql immutable strict parallel safe
  return (
    select coalesce(string_agg(lower(member), ' '), '')
    from jsonb_each(tags) as grouped (group_name, members)
    cross join jsonb_array_elements_text(members) as member
  );

create function words_of(search_text text, tags jsonb) returns tsvector
  language sql immutable strict parallel safe
  return words_of(search_text || ' ' || tag_words(tags));

alter table items drop column words;
alter table items
  add column words tsvector not null generated always as (words_of(search_text, tags)) stored;

create index items_by_words on items using gin (words);
