-- The evidence of an open incident since its latest verdict, according to its session's summary: JSON.
alter table incident_docs add column current text;
