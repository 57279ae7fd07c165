-- The operator's pages: who did what, sessions that were ended, and uploaded files with their mappings.

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
  body bytea not null,
  primary key (upload_id, part)
);
alter table upload_parts alter column body set storage external;

-- How the file of a source was last read, offered for its next one.
create table upload_mappings (
  source_name text primary key,
  options jsonb not null
);
