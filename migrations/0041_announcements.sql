-- The post of a release is found at each import; what the operator set is all that is kept.

delete from announcement_matches where reason <> 'set';
alter table announcement_matches drop column reason;
