-- The posts of a source's announcements, and the releases that they announce.

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

create table announcement_matches (
  release_item_id uuid primary key references items on delete cascade,
  source text not null,
  post_key text not null,
  -- `set`: by the operator.
  reason text not null check (reason in ('set', 'link', 'name', 'words')),
  score double precision not null,
  foreign key (source, post_key) references announcement_posts on delete cascade
);

create index announcement_matches_by_post on announcement_matches (source, post_key);
