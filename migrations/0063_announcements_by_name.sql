-- Posts are matched by links and names only. What was found by words is kept, as if it had been set:
-- to take it back would be a change of each of these releases.
update announcement_matches set reason = 'set' where reason = 'words';

alter table announcement_matches
  drop constraint announcement_matches_reason_check,
  add constraint announcement_matches_reason_check check (reason in ('set', 'link', 'name')),
  drop column score;

-- How far the changes of a mirrored server had been read.
alter table source_pages drop column changes_after;
