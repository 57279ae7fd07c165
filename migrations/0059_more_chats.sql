-- Webhooks for more chats: Mattermost, Google Chat, Telegram, ntfy, and Apprise with all behind it.
alter table webhooks
  drop constraint webhooks_kind_check,
  add constraint webhooks_kind_check check (kind in (
    'standard', 'slack', 'teams', 'discord', 'mattermost', 'googlechat', 'telegram', 'ntfy', 'apprise'
  ));
