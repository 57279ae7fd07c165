-- What is found by a text is put into order and counted without a look at its row: most of a row is not
-- needed for that, and a search that finds much would read all rows of the roadmap.
drop index items_by_search_text;
create index items_by_search_text on item_rows (text_id)
  include (release_item_id, active, last_modified, release_date);
