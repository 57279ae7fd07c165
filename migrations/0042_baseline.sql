-- The schema of a new database, as version 0.3.0 left it: read it here, and what changed since in the
-- migrations with higher numbers. A database of 0.3.0 has all of this already.

create extension if not exists pg_trgm;

-- ## The whole database

-- What holds for the whole database: exactly one row.
create table service_state (
  only_row boolean primary key default true check (only_row),
  -- Raised in the transaction of every import that changed something.
  data_version bigint not null default 1,
  -- The items are those of the sample; the first real import replaces them wholly.
  holds_sample boolean not null default false,
  -- Tells databases apart: a cursor of the changes of one database means nothing in another one.
  database_id uuid not null default gen_random_uuid(),
  -- Raised by "sign out everywhere".
  admin_generation int not null default 0
);

insert into service_state default values;

-- Work that comes back, done by one process at a time over all that share the database.
create table schedules (
  name text primary key,
  due_at timestamptz not null default now(),
  -- The process that has the work to itself until then, unless it says before that it goes on.
  holder text,
  held_until timestamptz,
  -- How often in a row it has failed.
  failures integer not null default 0,
  -- So many items may the next scheduled import remove, whatever their share; null: as always.
  accepted_removals int
);

-- The moments of a cadence for which digests, webhooks and reminders were queued last.
create table slots (
  name text primary key,
  slot timestamptz not null
);

-- How often a client asked within the running hour, in the shape that rate-limiter-flexible
-- expects; `expire` is in milliseconds since 1970. Losing it harms nobody, so it is not logged.
create unlogged table request_counts (
  key varchar(255) primary key,
  points integer not null default 0,
  expire bigint
);

-- Variant B's server-side cache: built responses that all processes of this database share. They can be
-- built again, so they need not reach the write-ahead log, its archives and standbys. PostgreSQL empties
-- an unlogged table after a crash.
create unlogged table cached_responses (
  -- SHA-256 of the normalised request, because a request may be longer than an index row.
  key_hash bytea primary key,
  -- gzip
  body bytea not null,
  headers jsonb not null,
  built_at timestamptz not null,
  -- The process that revalidates a stale response has it to itself until then.
  revalidate_until timestamptz
);

-- The oldest responses go first.
create index cached_responses_by_age on cached_responses (built_at);

-- ## Sources and their imports

create table import_runs (
  run_id integer generated always as identity primary key,
  source text not null,
  as_of date not null,
  partial boolean not null,
  started_at timestamptz not null default now(),
  finished_at timestamptz,
  added integer,
  changed integer,
  removed integer,
  restored integer,
  unchanged integer,
  error text,
  source_name text not null default 'default',
  -- The first import of a source is not news: nobody is told of each release that it brings.
  is_news boolean not null default true,
  -- How many characters or escapes of the source were repaired; null: this is not known.
  repaired integer,
  -- Of a refused import: how many active items each product has, and how many would be removed.
  refused jsonb,
  -- The order of day and month in its dates, for later imports that do not prove it.
  day_order text check (day_order in ('DMY', 'MDY')),
  -- What everybody may know of an import that failed: no word of its source.
  public_error text,
  -- What an import said besides its counts: rows that were left out, by the reason, and notes.
  left_out jsonb,
  notes jsonb
);

-- The last import of each source, and the last one that ended well.
create index import_runs_by_source on import_runs (source_name, run_id desc);
create index import_runs_without_news on import_runs (run_id) where not is_news;

-- The pages that the items of each source were taken from last, and how those were read, to ask
-- whether anything has changed: after another import an answer "unchanged" says nothing about them.
create table source_pages (
  source text primary key,
  read_as jsonb not null,
  pages jsonb not null
);

-- The languages of sources whose texts are in another language than the pages.
create table source_languages (
  source text primary key,
  -- BCP 47
  language text not null
);

-- Sources that operators add at /admin/sources.
create table stored_sources (
  name text primary key,
  -- An entry of a file of ROADMAP_CONFIG without its name, where each secret is env:NAME.
  entry jsonb not null,
  is_paused boolean not null,
  -- Of its secrets, which a backup as SQL leaves out; null: it has none.
  secrets_id uuid
);

-- What operators typed as secrets of a source.
create table source_secrets (
  secrets_id uuid primary key,
  -- Each value by the NAME of env:NAME.
  secrets jsonb not null,
  created_at timestamptz not null
);

-- Tokens that may import some sources and nothing else. Of their text only a hash is stored.
create table import_tokens (
  name text primary key,
  -- SHA-256, in hexadecimal digits.
  hash text not null unique,
  -- A list of names.
  sources jsonb not null,
  created_at timestamptz not null,
  last_used_on date
);

-- ## How texts are divided into words

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

-- Plain letters without elements of HTML, but with the text of an image, and without addresses of links.
-- The elements are those of lib/text/markup.ts.
create function without_tags(plain text) returns text
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

-- The stem of a word in another language than English; null: a stop word. Words are known without
-- accents: endings that decide on the stem get theirs back.
create function language_stem(dictionary regdictionary, word text) returns text
  language sql immutable strict parallel safe
  return (ts_lexize(dictionary, case dictionary
    when 'french_stem'::regdictionary then regexp_replace(word, 'ee(s?)$', 'ée\1')
    when 'portuguese_stem'::regdictionary
      then regexp_replace(regexp_replace(word, 'oes$', 'ao'), 'cao$', 'ção')
    when 'spanish_stem'::regdictionary then regexp_replace(word, 'ion$', 'ión')
    else normalize(word, nfc)
  end))[1];

-- The catalogue calls convert_to only stable, because conversions can be replaced; to UTF-8 none is.
create function hash_text(words text) returns bytea
  language sql immutable strict parallel safe
  return sha256(convert_to(words, 'UTF8'));

-- ## Releases

-- The texts that releases are found by lie beside the releases. They and their indexes are the most of
-- what an import costs: it writes them before the one transaction that changes the roadmap.
create table item_texts (
  text_id bigint generated always as identity primary key,
  -- Name, description and products in folded case, so that every script compares without case.
  search_text text not null,
  tags jsonb not null default '{}',
  words tsvector not null generated always as (words_of(search_text, tags)) stored,
  title_words tsvector not null generated always as (title_words_of(search_text)) stored
);

-- `like '%word%'` without reading the whole table.
create index items_by_substring on item_texts using gin (search_text gin_trgm_ops);
create index items_by_words on item_texts using gin (words);

create table item_rows (
  release_item_id uuid constraint items_pkey primary key,
  feature_name text not null,
  release_date date,
  release_type text not null,
  release_status text not null,
  product_id uuid,
  product_name text not null,
  feature_description text,
  blog_title text,
  blog_url text,
  last_modified date not null,
  active boolean not null default true,
  -- What is embedded of an item, as a hash: an item has a current vector where a set knows this hash.
  -- It is read on the way to every vector: it is never put aside, however long the row is.
  text_hash bytea storage plain not null generated always as (
    hash_text(feature_name || E'\x1f' || product_name || E'\x1f' || coalesce(feature_description, ''))
  ) stored,
  source text not null default 'default',
  -- How far along it is, and what says so: the mapping or a category of its source, or its status.
  tone text not null default 'planned'
    constraint items_tone_check check (tone in ('planned', 'in_progress', 'shipped', 'stopped')),
  tone_by text not null default 'word'
    constraint items_tone_by_check check (tone_by in ('mapping', 'category', 'word', 'unknown')),
  -- The day on which its source says that it was created.
  created date,
  -- The first one is product_name.
  product_names text[] not null,
  -- In named groups.
  tags jsonb not null default '{}',
  text_id bigint not null references item_texts,
  constraint items_check check (product_names[1] = product_name)
)
-- Long texts are kept beside the table, so that four times as many rows are read at once.
with (toast_tuple_target = 1024);

-- The two orders of a collection, for the first page of active items and for counting along.
create index items_by_modification on item_rows
  (last_modified desc, release_date desc nulls last, release_item_id desc) where active;
create index items_by_release_date on item_rows
  (release_date desc nulls last, last_modified desc, release_item_id desc) where active;
-- A look back over removed items as well: the changelog.
create index items_by_day on item_rows (last_modified);
create index items_by_product on item_rows (product_name);
create index items_by_products on item_rows using gin (product_names);
create index items_by_tags on item_rows using gin (tags jsonb_path_ops);
-- What a snapshot misses is missing among the items of its source; and which sources there are.
create index items_by_source on item_rows (source) where active;
-- From a vector that is near to the items it stands for.
create index items_by_text on item_rows (text_hash);
-- What is found by a text is put into order and counted without a look at its row: most of a row is not
-- needed for that, and a search that finds much would read all rows of the roadmap.
create index items_by_search_text on item_rows (text_id)
  include (release_item_id, active, last_modified, release_date);

-- The items as they are read. Without a column of their texts or their language, nothing is joined.
create view items as
select item_rows.*, search_text, words, title_words, language
from item_rows
left join item_texts using (text_id)
left join source_languages using (source);

-- Every word without digits that an item has or had, with its stem in English: a word of a question
-- also stands for those of the same stem, and a misspelt one for the nearest.
create table known_words (
  word text collate "C" primary key,
  -- Null: a stop word.
  stem text collate "C" generated always as ((ts_lexize('english_stem', word))[1]) stored
);

create index known_words_by_stem on known_words (stem);

-- ## What happened to releases

create table changes (
  change_id bigint generated always as identity primary key,
  release_item_id uuid not null references item_rows on delete cascade,
  -- Changes of one run are one modification.
  run_id integer not null,
  day date not null,
  kind text not null check (kind in ('added', 'changed', 'removed', 'restored')),
  -- The column that changed, and its old and new value as text; null where there is no value.
  field text check ((field is not null) = (kind = 'changed')),
  old_value text,
  new_value text,
  -- Of an added item: the columns that had a value.
  fields text[] check ((fields is not null) = (kind = 'added')),
  -- Of an added item: whether the source said the day on which it was created.
  by_source boolean,
  -- Of a change of the status: how far along the release was before, and after.
  tone_before text,
  tone_after text
);

-- An item's history, and what it went through on one day.
create index changes_by_item on changes (release_item_id, day);
-- The status that a release had at a change: what the next change of it replaced.
create index changes_by_status on changes (release_item_id, change_id)
  where field = 'release_status';

-- The kinds of what happened to a release, the heaviest first. This is the one place that decides.
create function change_kinds(
  -- added, removed or restored; null: only fields changed
  event text,
  tone_before text, tone_after text, status_changed boolean,
  -- In the precision of the variant: days, or the first days of quarters.
  date_changed boolean, date_before date, date_after date,
  -- A field other than status and date changed.
  others_changed boolean
) returns text[] language sql immutable parallel safe
return case when event = 'added' then array['added'] else array_remove(array[
  case when tone_before <> 'shipped' and tone_after = 'shipped' then 'shipped' end,
  case when tone_before <> 'stopped' and tone_after = 'stopped' then 'cancelled' end,
  case when event = 'removed' then 'removed' end,
  -- What has shipped or stopped is planned for no day any more.
  case when date_changed and date_after > date_before and tone_after in ('planned', 'in_progress')
    then 'slipped' end,
  case when
      tone_before in ('in_progress', 'shipped', 'stopped') and tone_after = 'planned'
      or tone_before = 'shipped' and tone_after = 'in_progress'
    then 'taken_back' end,
  case when tone_before in ('planned', 'stopped') and tone_after = 'in_progress' then 'started' end,
  case when date_changed and date_after < date_before and tone_after in ('planned', 'in_progress')
    then 'earlier' end,
  case when event = 'restored' then 'restored' end,
  case when date_changed and date_before is null and date_after is not null then 'dated' end,
  case when date_changed and date_before is not null and date_after is null then 'undated' end,
  case when
      others_changed
      or status_changed and tone_before = tone_after
      or date_changed and date_before is not null and date_after is not null and (
        tone_after in ('planned', 'in_progress') and date_before = date_after
        or tone_after in ('shipped', 'stopped') and tone_before = tone_after
      )
    then 'edited' end
], null) end;

-- One row for what one import changed of one release.
create table change_entries (
  -- The id of its last change, and of its first one.
  entry_id bigint primary key,
  first_change bigint not null,
  run_id integer not null,
  release_item_id uuid not null references item_rows on delete cascade,
  day date not null,
  tone_before text not null,
  tone_after text not null,
  -- As variant A tells changes, which shows the quarter of a date, and as variant B does.
  kinds_by_quarter text[] not null,
  kinds_by_day text[] not null,
  unique (run_id, release_item_id)
);

create index change_entries_by_item on change_entries (release_item_id, entry_id);
create index change_entries_by_day on change_entries (day desc, entry_id desc);

-- What an import replaces stays: the roadmap of a past day is rows, not changes that are undone anew for
-- each statement, and the days of the sources are those of then.
create table item_versions (
  release_item_id uuid not null references item_rows on delete cascade,
  feature_name text not null,
  release_date date,
  release_type text not null,
  release_status text not null,
  product_id uuid,
  product_name text not null,
  feature_description text,
  blog_title text,
  blog_url text,
  last_modified date not null,
  active boolean not null,
  source text not null,
  tone text not null,
  tone_by text not null,
  created date,
  product_names text[] not null,
  tags jsonb not null,
  text_id bigint not null references item_texts,
  version_id bigint generated always as identity primary key,
  -- The import that replaced it.
  run_id integer not null
);

-- What a day asks of both tables is in these two indexes.
create index item_versions_by_item on item_versions (release_item_id, version_id) include (run_id);
create index changes_by_addition on changes (run_id) include (release_item_id) where kind = 'added';
create index item_versions_by_text on item_versions (text_id);

-- What an import is going to store: rows of the same columns, prepared in pieces while readers are
-- served. What a killed import leaves here says nothing, and the next import that changes something
-- deletes it. Nothing is lost with it, so it is not logged.
create unlogged table prepared_items (
  release_item_id uuid not null,
  feature_name text not null,
  release_date date,
  release_type text not null,
  release_status text not null,
  product_id uuid,
  product_name text not null,
  feature_description text,
  blog_title text,
  blog_url text,
  last_modified date not null,
  active boolean not null,
  source text not null,
  tone text not null,
  tone_by text not null,
  created date,
  product_names text[] not null,
  tags jsonb not null,
  text_id bigint not null,
  run_id integer not null,
  primary key (run_id, release_item_id)
);

create unlogged table prepared_changes (like changes);
alter table prepared_changes
  alter column change_id set default nextval('changes_change_id_seq');

create unlogged table prepared_entries (like change_entries);

create unlogged table prepared_words (
  run_id integer not null,
  word text collate "C" not null
);

-- ## Posts that announce releases

-- What the feed of a source was read from last, to ask whether anything has changed.
create table announcement_feeds (
  source text primary key,
  address text not null,
  validators jsonb,
  read_at timestamptz not null,
  -- Why it could not be read; null: it was.
  error text
);

create table announcement_posts (
  source text not null,
  -- One post may have several addresses.
  post_key text not null,
  -- The address under which it was first read.
  url text not null,
  title text not null,
  published date,
  headings text[] not null default '{}',
  -- The releases that it links to, of any source.
  linked uuid[] not null default '{}',
  -- The operator says that it announces no release.
  rejected boolean not null default false,
  read_at timestamptz not null default now(),
  primary key (source, post_key)
);

-- What the operator set: the post of a release is found at each import.
create table announcement_matches (
  release_item_id uuid primary key references item_rows on delete cascade,
  source text not null,
  post_key text not null,
  foreign key (source, post_key) references announcement_posts on delete cascade
);

create index announcement_matches_by_post on announcement_matches (source, post_key);

-- ## Search by meaning

-- All vectors that one model made in one length.
create table embedding_sets (
  set_id integer generated always as identity primary key,
  model text not null,
  dimensions integer not null,
  -- When all items had a vector. The set that was completed last is searched.
  completed_at timestamptz,
  -- Vectors came to it that the processes have not been told of.
  has_news boolean not null default false,
  -- When another set took its place. Its vectors stay for a while, so that going back costs nothing.
  retired_at timestamptz,
  -- The cosine similarity from which an item matches a question, measured for each model: every model
  -- has a scale of its own. Null: not measured yet.
  min_similarity double precision,
  unique (model, dimensions)
);

-- The vectors of all sets lie in one table. It needs pgvector, which not every PostgreSQL carries, so
-- it is made by the first run that embeds.
create function make_embeddings() returns void language plpgsql as $$
begin
  -- Dropping the extension takes the column with it.
  if exists (
    select from pg_attribute
    where attrelid = to_regclass('embeddings') and attname = 'embedding' and not attisdropped
  ) then
    return;
  end if;
  drop table if exists embeddings;
  create table embeddings (
    set_id integer not null references embedding_sets on delete cascade,
    text_hash bytea not null,
    embedding halfvec not null,
    created_at timestamptz not null default now(),
    primary key (set_id, text_hash)
  );
  -- Vectors stored in the row are compared three times as fast as those stored out of line (TOAST).
  -- PostgreSQL would then move the hash of such a long row out of line, which every join reads.
  alter table embeddings
    alter column embedding set storage plain,
    alter column text_hash set storage plain;
end
$$;

create table question_embeddings (
  -- SHA-256 of model, dimensions and the folded question: the words themselves are not kept.
  question_hash bytea primary key,
  -- 32-bit floats, little-endian.
  embedding bytea not null,
  used_at timestamptz not null default now()
);

-- Those that were not asked for the longest time go first.
create index question_embeddings_by_use on question_embeddings (used_at);

-- ## Subscriptions

-- Signs the unsubscribe links where TOKEN_SECRET is unset; made when it is first needed.
create table token_secret (
  only_row boolean primary key default true check (only_row),
  secret text not null
);

-- Mail servers deliver ann+news@example.com to ann@example.com (RFC 5233), and Gmail j.ann@gmail.com
-- and jann@googlemail.com to one person: what counts for a limit is the mailbox.
create function mailbox_of(email text) returns text
  language sql immutable strict parallel safe
  return case
    when email ~ '@(gmail|googlemail)\.com$'
    then replace(split_part(split_part(email, '@', 1), '+', 1), '.', '') || '@gmail.com'
    else regexp_replace(email, '^([^@+]+)\+[^@]*@', '\1@')
  end;

-- Subscribers with the same key get the same. The text of jsonb and of an array depends on no setting.
create function filter_key(
  variant text, scope text, filter jsonb, releases uuid[], upcoming boolean
) returns text
  language sql immutable parallel safe
  return md5(row(variant, scope, filter, releases, upcoming)::text);

create table subscriptions (
  subscription_id uuid primary key default gen_random_uuid(),
  -- Trimmed, in lower case, its domain in A-labels (RFC 5890).
  email text not null unique,
  -- A mailbox that refuses is set aside (bounced), until somebody verifies it anew.
  state text not null default 'unverified'
    check (state in ('unverified', 'verified', 'unsubscribed', 'bounced')),
  -- The variant of the interface at whose site the person subscribed.
  variant text not null check (variant in ('A', 'B')),
  -- The last request that a mail was sent for.
  requested_at timestamptz not null,
  verified_at timestamptz,
  unsubscribed_at timestamptz,
  -- The last change (changes.change_id) that a digest has covered, or that there was when the person
  -- was verified. Ids and not days: an import may bring changes of days long past.
  last_notified_change bigint not null default 0,
  mailbox text not null generated always as (mailbox_of(email)) stored,
  -- The last verification mail after somebody had unsubscribed; null again once they verify.
  mailed_since_unsubscribing_at timestamptz,
  cadence text not null default 'weekly' check (cadence in ('immediate', 'daily', 'weekly')),
  -- Nothing goes out before that day.
  paused_until date,
  -- What somebody asked for at an address that is verified, until its owner saves preferences.
  asked jsonb,
  -- How often in a row the mail server has refused the address for good, and what it said then.
  refusals integer not null default 0,
  refused_at timestamptz,
  refusal_reason text,
  -- all: every release; chosen: those that match the filter, and watched ones; watched: these alone.
  scope text not null default 'all' check (scope in ('all', 'chosen', 'watched')),
  -- Of the form that webhooks have: its lists are sorted and without duplicates, none is empty.
  filter jsonb not null default '{}',
  -- Releases to watch.
  releases uuid[] not null default '{}',
  -- Digests also list what is planned for the next 30 days and what is overdue.
  upcoming boolean not null default true,
  -- Watched releases remind some days before their planned day.
  reminders boolean not null default true,
  filter_key text not null
    generated always as (filter_key(variant, scope, filter, releases, upcoming)) stored,
  check (state <> 'verified' or verified_at is not null),
  check (state <> 'unsubscribed' or unsubscribed_at is not null),
  constraint subscriptions_chosen_check check (scope <> 'chosen' or filter <> '{}'),
  constraint subscriptions_refused_at_check check (state <> 'bounced' or refused_at is not null)
);

-- The scheduled removal, and counting by state.
create index subscriptions_by_state on subscriptions (state, requested_at);
create index subscriptions_by_mailbox on subscriptions (mailbox);
create index subscriptions_by_filter on subscriptions (filter_key, subscription_id)
  where state = 'verified';

create function refuse_wrong_transition() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' and new.state <> 'unverified' then
    raise exception 'A new subscription is unverified, not %', new.state
      using errcode = 'check_violation';
  end if;
  if tg_op = 'UPDATE' and old.state <> new.state and (old.state, new.state) not in (
    ('unverified', 'verified'), ('unverified', 'unsubscribed'),
    ('verified', 'unsubscribed'), ('unsubscribed', 'unverified'),
    ('verified', 'bounced'), ('bounced', 'unverified'), ('bounced', 'unsubscribed'),
    ('bounced', 'verified')
  ) then
    raise exception 'A subscription does not go from % to %', old.state, new.state
      using errcode = 'check_violation';
  end if;
  return new;
end
$$;

create trigger subscriptions_go_by_the_rules before insert or update of state on subscriptions
  for each row execute function refuse_wrong_transition();

-- Links that were sent. Of a link only its hash is kept, and it is made when its mail is sent.
create table verification_tokens (
  token_hash bytea primary key,
  subscription_id uuid not null references subscriptions on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- Followed with success; voided by a newer request or by unsubscribing.
  used_at timestamptz,
  voided_at timestamptz
);

create index verification_tokens_by_subscription on verification_tokens (subscription_id);
create index verification_tokens_by_age on verification_tokens (created_at);

-- Reports of refused emails that are handled, by what their sender calls them: a second copy is none.
create table bounce_reports (
  report_key text primary key,
  handled_at timestamptz not null
);

create index bounce_reports_by_age on bounce_reports (handled_at);

-- ## What goes out

-- What a digest tells, stored once for all whom it tells the same, and kept for its page.
create table digests (
  digest_id uuid primary key default gen_random_uuid(),
  content jsonb not null,
  created_at timestamptz not null
);

create index digests_by_age on digests (created_at);

create table webhooks (
  webhook_id uuid primary key default gen_random_uuid(),
  name text not null unique,
  kind text not null check (kind in (
    'standard', 'slack', 'teams', 'discord', 'mattermost', 'googlechat', 'telegram', 'ntfy', 'apprise'
  )),
  -- What a list may show of its address: that of a chat is a secret as a whole.
  shown_url text not null,
  -- The address and the secret that signs, as encrypted JSON.
  target bytea not null,
  -- The parameters of the filter, each with its values.
  filter jsonb not null default '{}',
  -- It gets what has changed at once, or in one message a day or a week.
  cadence text not null default 'immediate' check (cadence in ('immediate', 'daily', 'weekly')),
  -- The last change that it was told, or that there was when it was added or enabled.
  last_notified_change bigint not null,
  created_at timestamptz not null,
  -- Null: it is told.
  disabled_at timestamptz,
  disabled_reason text,
  constraint webhooks_check1 check ((disabled_at is null) = (disabled_reason is null))
);

-- What one import has to tell, as it stood then, once for all webhooks with the same filter.
create table webhook_payloads (
  payload_id uuid primary key default gen_random_uuid(),
  content jsonb not null
);

-- The emails and webhooks that wait, and what became of the others.
create table outbox (
  mail_id uuid primary key default gen_random_uuid(),
  subscription_id uuid references subscriptions on delete cascade,
  status text not null default 'waiting'
    -- logged: there is no mail server; superseded: a newer request or a visited link made it void
    check (status in ('waiting', 'sent', 'logged', 'failed', 'superseded')),
  created_at timestamptz not null,
  due_at timestamptz not null,
  -- Temporary failures are retried until then.
  give_up_at timestamptz not null,
  attempts integer not null default 0,
  -- The process that sends it has it to itself until then.
  leased_until timestamptz,
  finished_at timestamptz,
  last_error text,
  kind text not null default 'verification'
    -- preferences: leads a verified address to what was asked for it
    check (kind in ('verification', 'preferences', 'reminder', 'digest', 'webhook')),
  -- The changes that a message tells: after the first id, up to the second. Where it fails for good
  -- they count as untold again. A digest, which is made when it is sent, has the second alone.
  changes_after bigint,
  changes_up_to bigint,
  webhook_id uuid references webhooks on delete cascade,
  payload_id uuid references webhook_payloads,
  -- What somebody waits for in front of a screen comes first.
  priority smallint not null generated always as (
    case kind when 'verification' then 1 when 'preferences' then 2 when 'reminder' then 3 else 4 end
  ) stored,
  -- Whether an email came back, or its mailbox refused it for good: a mailbox whose newest emails all
  -- did is set aside, whenever that becomes known.
  came_back boolean not null default false,
  -- Each message has one receiver.
  constraint outbox_receiver_check check (
    case kind
      when 'webhook' then webhook_id is not null and subscription_id is null
      else webhook_id is null and subscription_id is not null
    end
  ),
  -- Only what waits needs its words.
  constraint outbox_forgets_payloads
    check (payload_id is null or kind = 'webhook' and status = 'waiting')
);

-- Mails and webhooks are sent side by side, and neither looks through what waits of the other.
create index outbox_by_due on outbox (priority, due_at)
  where status = 'waiting' and webhook_id is null;
create index outbox_webhooks_by_due on outbox (attempts, due_at)
  where status = 'waiting' and webhook_id is not null;
-- What waits for one webhook goes out one after another, in the order of the changes that it tells.
create index outbox_webhooks_in_turn on outbox (webhook_id, changes_up_to)
  where status = 'waiting' and webhook_id is not null;
-- At most one digest of a subscriber waits: what changes meanwhile joins it.
create unique index outbox_one_waiting_digest on outbox (subscription_id)
  where kind = 'digest' and status = 'waiting';
-- The messages of one receiver, and the scheduled removal.
create index outbox_by_subscription on outbox (subscription_id, created_at);
create index outbox_by_webhook on outbox (webhook_id, created_at) where webhook_id is not null;
create index outbox_by_payload on outbox (payload_id) where payload_id is not null;
create index outbox_by_age on outbox (created_at);
-- Requests are limited by what they bring, whatever else is sent.
create index outbox_by_request on outbox (created_at)
  where kind in ('verification', 'preferences');

-- What a subscriber was reminded of: once for each planned day, and never of more days than before.
create table reminders (
  subscription_id uuid not null references subscriptions on delete cascade,
  release_item_id uuid not null,
  planned_on date not null,
  days_before smallint not null,
  mail_id uuid references outbox on delete set null,
  primary key (subscription_id, release_item_id, planned_on)
);

create index reminders_by_mail on reminders (mail_id) where mail_id is not null;
create index reminders_by_day on reminders (planned_on);

-- Up to which change a service outside, such as a WebSub hub, has been notified that pages changed.
create table notified_services (
  service text primary key,
  change_id bigint not null
);

-- ## The operator's pages

create table audit_log (
  entry_id bigint generated always as identity primary key,
  at timestamptz not null,
  -- "token", or the user that the proxy names.
  who text not null,
  action text not null,
  -- What it was done to; empty where the action says it all.
  subject text not null default ''
);

create index audit_log_by_time on audit_log (at);

-- Sessions of operators that were ended by signing out, until they would have expired.
create table ended_sessions (
  session_id text primary key,
  expires_at timestamptz not null
);

-- Files that were uploaded and are not imported yet; they are deleted after an hour.
create table uploads (
  upload_id uuid primary key,
  created_at timestamptz not null,
  file_name text not null,
  bytes bigint not null default 0,
  is_complete boolean not null default false,
  options jsonb not null
);

create table upload_parts (
  upload_id uuid not null references uploads on delete cascade,
  part int not null,
  body bytea storage external not null,
  primary key (upload_id, part)
);

-- How the file of a source was last read, offered for its next one.
create table upload_mappings (
  source_name text primary key,
  options jsonb not null
);
