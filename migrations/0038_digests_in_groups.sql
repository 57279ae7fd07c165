-- What a digest tells stands in groups, and is kept for its page as it was told.

-- Digests that wait to be sent tell what they told, as edited releases.
update digests
set content = jsonb_build_object(
  'total', jsonb_array_length(content->'items') + coalesce((content->>'more')::int, 0),
  'days', (
    select jsonb_build_object('first', min(item->>'day'), 'last', max(item->>'day'))
    from jsonb_array_elements(content->'items') as item
  ),
  'groups', jsonb_build_array(jsonb_build_object('kind', 'other', 'items', (
    select coalesce(jsonb_agg(jsonb_build_object(
      'release_item_id', item->'release_item_id',
      'feature_name', item->'feature_name',
      'details', concat_ws(
        ' · ', item->>'product_name', item->>'release_status', item->>'release_type',
        item->>'release_date'
      ),
      'changes', (
        select coalesce(jsonb_agg(jsonb_build_object('text', change)), '[]')
        from jsonb_array_elements(item->'changes') as change
      )
    ) order by place), '[]')
    from jsonb_array_elements(content->'items') with ordinality as items (item, place)
  )))
)
where content ? 'items';
