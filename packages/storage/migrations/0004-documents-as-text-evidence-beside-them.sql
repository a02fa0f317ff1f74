-- Nobody looks into them but the server, and jsonb takes twice as long to write. Lists need no evidence.
alter table incident_docs add column evidence text;
update incident_docs
  set evidence = jsonb_build_object('evidence', fold->'evidence', 'lastEvidence', fold->'lastEvidence')::text;
alter table incident_docs alter column evidence set not null;
alter table incident_docs drop column row;
alter table incident_docs alter column fold type text using (fold - 'evidence' - 'lastEvidence')::text;
alter table verdict_docs alter column doc type text using doc::text;
