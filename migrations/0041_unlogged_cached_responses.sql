-- Cached responses can be built again, so they need not reach the write-ahead log, its archives and
-- standbys. PostgreSQL empties an unlogged table after a crash. Their bodies are gzip from now on.
truncate cached_responses;
alter table cached_responses set unlogged;
