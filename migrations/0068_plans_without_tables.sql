-- An import is planned by reading only, and a preview leaves nothing behind.
delete from import_runs where is_preview;
alter table import_runs drop column is_preview;
drop table incoming_items;
