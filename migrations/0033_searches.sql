-- What searches find a release by: its products, its tags and its words.

alter table items
  -- The first one is product_name.
  add column product_names text[],
  -- In named groups.
  add column tags jsonb not null default '{}';
update items set product_names = array[product_name];
alter table items
  alter column product_names set not null,
  add check (product_names[1] = product_name);

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

-- A folded text without accents, strokes and ligatures. Most texts are ASCII, and have none.
create function plain_letters(folded text) returns text
  language sql immutable strict parallel safe
  return case
    when octet_length(folded) = char_length(folded) then left(folded, 200000)
    else replace(replace(replace(
      translate(
        regexp_replace(normalize(left(folded, 200000), NFD), '[\u0300-\u036f]+', '', 'g'),
        'łøđðħŧıŋ', 'loddhtin'
      ), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th')
  end;

-- Plain letters without tags and addresses of links.
create function without_tags(plain text) returns text
  language sql immutable strict parallel safe
  return regexp_replace(plain, '</?[a-z][^<>]*>|\]\([^()\s]*\)', ' ', 'g');

-- The words of plain letters, between blanks: without entities, and letters told from signs by their code,
-- so that every locale divides a text alike.
create function divide_words(plain text) returns text
  language sql immutable strict parallel safe
  return regexp_replace(
    regexp_replace(plain, '(&apos;|&#39;|'')s(?![a-z0-9])|&([a-z][a-z0-9]{1,30}|#[0-9]{2,7}|#x[0-9a-f]{2,6});', ' ', 'g'),
    '[\u0001-\u0008\u000b\u000c\u000e-\u001f!-/:-@[-`{-©«-±´¶-¸»-¿×÷\u2000-\u2bff\u2e00-\u2e7f\u3000-\u3004\u3008-\u3030\ufe00-\ufe6f\ufffd\U0001f000-\U0001faff]+',
    ' ', 'g'
  );

-- What hyphens join, written as one word: e-mail is also email.
create function joined_words(plain text) returns text
  language sql immutable strict parallel safe
  return (
    select coalesce(string_agg(replace(found[1], '-', ''), ' '), '')
    from regexp_matches(plain, '([a-z0-9\u00df-\u1fff]+(?:-[a-z0-9\u00df-\u1fff]+)+)', 'g') as found
  );

-- The words of a question, or of a part of one.
create function split_words(folded text) returns text
  language sql immutable strict parallel safe
  return divide_words(plain_letters(folded));

-- The words of a text, and behind them those that hyphens join.
create function indexed_words(plain text) returns text
  language sql immutable strict parallel safe
  return divide_words(plain) || case when plain like '%-%' then ' ' || joined_words(plain) else '' end;

-- The words of a name with their places, of an item or as a question.
create function name_words(folded text) returns tsvector
  language sql immutable strict parallel safe
  return to_tsvector('simple', indexed_words(plain_letters(folded)));

-- The words of a search text and of tags with their places. Decoded texts stand in for those with entities.
create function words_of(search_text text, tags jsonb) returns tsvector
  language sql immutable strict parallel safe
  return to_tsvector('simple', indexed_words(concat_ws(' ',
    plain_letters(coalesce(nullif(split_part(search_text, E'\x1f', 4), ''), split_part(search_text, E'\x1f', 1))),
    without_tags(plain_letters(coalesce(
      nullif(split_part(search_text, E'\x1f', 5), ''), split_part(search_text, E'\x1f', 2)
    ))),
    plain_letters(split_part(search_text, E'\x1f', 3)),
    plain_letters(tag_words(tags))
  )));

-- The words of its name (A) and product (B) alone: few enough to rank thousands of matches by.
create function title_words_of(search_text text) returns tsvector
  language sql immutable strict parallel safe
  return setweight(
      name_words(coalesce(nullif(split_part(search_text, E'\x1f', 4), ''), split_part(search_text, E'\x1f', 1))), 'A'
    ) || setweight(name_words(split_part(search_text, E'\x1f', 3)), 'B');

-- Search texts that are stored are folded as new ones are.
update items
set search_text = translate(
  regexp_replace(search_text, '[\u00ad\u200b\u2060\ufeff]+', '', 'g'),
  U&'\00a0\2000\2001\2002\2003\2004\2005\2006\2007\2008\2009\200a\202f\205f\3000\2010\2011\2012\2013\2014\2015\2212\2018\2019\201b\02bc\ff07\201c\201d\201e\201f\ff02',
  '               -------''''''''''"""""'
)
where search_text ~ '[\u00ad\u200b\u2060\ufeff\u00a0\u2000-\u200a\u202f\u205f\u3000\u2010-\u2015\u2212\u2018\u2019\u201b\u02bc\uff07\u201c-\u201f\uff02]';

-- The entities of HTML 4; others are decoded when their release changes.
create table pg_temp.entities (name text primary key, letter text);
insert into pg_temp.entities
select split_part(pair, '=', 1), coalesce(nullif(substr(pair, strpos(pair, '=') + 1), ''), ' ')
from regexp_split_to_table('
  nbsp= iexcl=¡ cent=¢ pound=£ curren=¤ yen=¥ brvbar=¦ sect=§ uml=¨ copy=© ordf=ª laquo=« not=¬ shy=
  reg=® macr=¯ deg=° plusmn=± sup2=² sup3=³ acute=´ micro=µ para=¶ middot=· cedil=¸ sup1=¹ ordm=º
  raquo=» frac14=¼ frac12=½ frac34=¾ iquest=¿ agrave=à aacute=á acirc=â atilde=ã auml=ä aring=å
  aelig=æ ccedil=ç egrave=è eacute=é ecirc=ê euml=ë igrave=ì iacute=í icirc=î iuml=ï eth=ð ntilde=ñ
  ograve=ò oacute=ó ocirc=ô otilde=õ ouml=ö times=× oslash=ø ugrave=ù uacute=ú ucirc=û uuml=ü yacute=ý
  thorn=þ szlig=ss divide=÷ yuml=ÿ oelig=œ scaron=š fnof=ƒ circ=ˆ tilde=˜ alpha=α beta=β gamma=γ
  delta=δ epsilon=ε zeta=ζ eta=η theta=θ iota=ι kappa=κ lambda=λ mu=μ nu=ν xi=ξ omicron=ο pi=π rho=ρ
  sigma=σ tau=τ upsilon=υ phi=φ chi=χ psi=ψ omega=ω sigmaf=σ thetasym=ϑ upsih=ϒ piv=ϖ ensp= emsp=
  thinsp= zwnj=‌ zwj=‍ lrm=‎ rlm=‏ ndash=- mdash=- lsquo='' rsquo='' sbquo=‚ ldquo=" rdquo=" bdquo="
  dagger=† bull=• hellip=… permil=‰ prime=′ lsaquo=‹ rsaquo=› oline=‾ frasl=⁄ euro=€ image=ℑ weierp=℘
  real=ℜ trade=™ alefsym=ℵ larr=← uarr=↑ rarr=→ darr=↓ harr=↔ crarr=↵ forall=∀ part=∂ exist=∃ empty=∅
  nabla=∇ isin=∈ notin=∉ ni=∋ prod=∏ sum=∑ minus=- lowast=∗ radic=√ prop=∝ infin=∞ ang=∠ and=∧ or=∨
  cap=∩ cup=∪ int=∫ there4=∴ sim=∼ cong=≅ asymp=≈ ne=≠ equiv=≡ le=≤ ge=≥ sub=⊂ sup=⊃ nsub=⊄ sube=⊆
  supe=⊇ oplus=⊕ otimes=⊗ perp=⊥ sdot=⋅ lceil=⌈ rceil=⌉ lfloor=⌊ rfloor=⌋ lang=⟨ rang=⟩ loz=◊ spades=♠
  clubs=♣ hearts=♥ diams=♦ amp=& lt=< gt=> quot=" apos=''
', '\s+') as pair
where pair <> '';

update pg_temp.entities set letter = '' where name in ('shy', 'zwj', 'zwnj');

create function pg_temp.decoded(folded text) returns text language plpgsql as $$
declare
  found text[];
  code int;
  decoded text := '';
begin
  for found in
    select regexp_matches(folded, '([^&]*)(?:(&([a-z][a-z0-9]{1,30}|#[0-9]{2,7}|#x[0-9a-f]{2,6});)|(&))?', 'g')
  loop
    code := case
      when found[3] like '#x%' then ('x' || lpad(substr(found[3], 3), 8, '0'))::bit(32)::int
      when found[3] like '#%' then substr(found[3], 2)::int
    end;
    decoded := decoded || found[1] || case
      when found[3] is null then coalesce(found[4], '')
      when code between 32 and 65535 and code not between 55296 and 57343 then lower(chr(code))
      else coalesce((select letter from pg_temp.entities where name = found[3]), found[2])
    end;
  end loop;
  return decoded;
end $$;

update items
set search_text = concat_ws(E'\x1f',
  split_part(search_text, E'\x1f', 1), split_part(search_text, E'\x1f', 2), split_part(search_text, E'\x1f', 3),
  pg_temp.decoded(split_part(search_text, E'\x1f', 1)), pg_temp.decoded(split_part(search_text, E'\x1f', 2))
)
where search_text ~ '&([a-z][a-z0-9]{1,30}|#[0-9]{2,7}|#x[0-9a-f]{2,6});' and split_part(search_text, E'\x1f', 4) = '';

drop function pg_temp.decoded;
drop table pg_temp.entities;

-- Searches read the rows of what they find, not its words and descriptions: those are kept beside the
-- table, so that four times as many rows are read at once. What is compared stays in the row.
alter table items
  add column words tsvector not null generated always as (words_of(search_text, tags)) stored,
  add column title_words tsvector not null generated always as (title_words_of(search_text)) stored;
alter table items
  alter column search_text set storage main,
  alter column title_words set storage main,
  alter column words set storage external;
alter table items set (toast_tuple_target = 1024);

-- Written again by the new rule.
cluster items using items_pkey;
alter table items set without cluster;

create index items_by_words on items using gin (words);

-- Every word without digits that an item has or had, with its stem in English: a word of a question
-- also stands for those of the same stem, and a misspelt one for the nearest.
create table known_words (
  word text collate "C" primary key,
  -- Null: a stop word.
  stem text collate "C" generated always as ((ts_lexize('english_stem', word))[1]) stored
);

create index known_words_by_stem on known_words (stem);

insert into known_words (word)
select distinct word
from items cross join unnest(tsvector_to_array(words)) as word
where word !~ '[0-9]';

-- The cosine similarity from which an item matches a question, measured for each model: every model
-- has a scale of its own. Null: not measured yet.
alter table embedding_sets add column min_similarity double precision;
