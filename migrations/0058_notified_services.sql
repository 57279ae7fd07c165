-- Up to which change a service outside, such as a WebSub hub, has been notified that pages changed.
create table notified_services (
  service text primary key,
  change_id bigint not null
);
