-- What a page shows as text is text for searches, too: words between angle brackets that are no element
-- of HTML, and code.

-- Plain letters without elements of HTML, but with the text of an image, and without addresses of links.
-- The elements are those of lib/text/markup.ts.
create or replace function without_tags(plain text) returns text
  language sql immutable strict parallel safe
  return case when plain ~ '[<(]' then regexp_replace(
    plain,
    '(`[^`]*`)'
      || '|(?<!\\)</?(?:a|b|blockquote|br|code|del|div|em|h[1-6]|hr|i|li|ol|p|pre|s|span|strong|sub|sup|table|tbody|td|th|thead|tr|u|ul'
      || '|abbr|caption|center|dd|details|dl|dt|figcaption|figure|font|ins|kbd|mark|picture|q|samp|small|strike|summary|tfoot|tt|var)'
      || '(?:\s*/?|\s+open\s*|\s[^<>]*=[^<>]*)>'
      || '|<(?:img|source)(?:\s[^<>]*)?\salt="([^"<>]*)"[^<>]*>|<(?:img|source)\s[^<>]*>'
      || '|\]\([^()\s]*\)',
    '\1 \2', 'g'
  ) else plain end;

-- A description without what only says how Markdown reads it: backslashes before signs, raised and lowered
-- text, and the comments of templates.
create function unmarked(description text) returns text
  language sql immutable strict parallel safe
  return regexp_replace(
    regexp_replace(description, '<!--.*?-->', '', 'g'),
    '\\(?=[!-/:-@[-`{-~])|</?su[bp]>', '', 'g'
  );

-- The words of stored texts are found again.
update items set search_text = search_text where search_text ~ '[<`]';

insert into known_words (word)
select distinct word
from items cross join unnest(tsvector_to_array(words)) as word
where search_text ~ '[<`]' and word !~ '[0-9]'
on conflict do nothing;
