-- contract: a process of 0.3.0 still serves readers, but cannot read the sources of /admin/sources.

-- What was typed as secrets of a source, by the NAME of env:NAME, stands with the source.
alter table stored_sources add column secrets jsonb not null default '{}';
update stored_sources
set secrets = source_secrets.secrets -> 'values'
from source_secrets
where source_secrets.secrets_id = stored_sources.secrets_id;
alter table stored_sources drop column secrets_id;
drop table source_secrets;

-- A change is stored only over what it was begun from.
alter table stored_sources add column version uuid not null default gen_random_uuid();
