-- What a subscription covers is one filter, of the form that webhooks have, in place of a column for
-- each list: its lists are sorted and without duplicates, and it has no empty ones.

alter table subscriptions add column filter jsonb not null default '{}';

create function pg_temp.sorted(list jsonb) returns jsonb
  language sql immutable
  return (
    select jsonb_agg(value order by value collate "C")
    from (select distinct value from jsonb_array_elements_text(list) as value) as listed
  );

create function pg_temp.filter_of(lists jsonb) returns jsonb
  language sql immutable
  return jsonb_strip_nulls(jsonb_build_object(
    'product_name', pg_temp.sorted(lists->'products'),
    'release_type', pg_temp.sorted(lists->'types'),
    'release_status', pg_temp.sorted(lists->'statuses'),
    'tag', pg_temp.sorted(lists->'tags'),
    'q', pg_temp.sorted(lists->'searches'),
    'due', pg_temp.sorted(lists->'due'),
    'kind', pg_temp.sorted(lists->'kinds')
  ));

update subscriptions
set filter = pg_temp.filter_of(to_jsonb(subscriptions)),
  asked = case
    when jsonb_typeof(asked) = 'object' then
      asked - '{products,types,statuses,tags,searches,due,kinds}'::text[]
        || jsonb_build_object('filter', pg_temp.filter_of(asked))
    else asked
  end;

drop function pg_temp.filter_of(jsonb);
drop function pg_temp.sorted(jsonb);

alter table subscriptions drop column filter_key;
drop function filter_key(
  text, text, text[], text[], text[], text[], text[], text[], uuid[], text[], boolean
);

alter table subscriptions
  drop column products, drop column types, drop column statuses, drop column tags,
  drop column searches, drop column due, drop column kinds,
  add constraint subscriptions_chosen_check check (scope <> 'chosen' or filter <> '{}');

-- Subscribers with the same key get the same. The text of jsonb and of an array depends on no setting.
create function filter_key(
  variant text, scope text, filter jsonb, releases uuid[], upcoming boolean
) returns text
  language sql immutable parallel safe
  return md5(row(variant, scope, filter, releases, upcoming)::text);

alter table subscriptions
  add column filter_key text not null
    generated always as (filter_key(variant, scope, filter, releases, upcoming)) stored;

create index subscriptions_by_filter on subscriptions (filter_key, subscription_id)
  where state = 'verified';
