-- Sessions of operators that were ended by signing out, until they would have expired.
create table ended_sessions (
  session_id text primary key,
  expires_at timestamptz not null
);
