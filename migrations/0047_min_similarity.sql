-- The cosine similarity from which an item matches a question, measured for each model: every model
-- has a scale of its own. Null: not measured yet.
alter table embedding_sets add column min_similarity double precision;
