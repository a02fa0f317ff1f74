-- Narrow, as incidents are: statistics read hundreds of thousands of them.
alter table verdicts rename to verdict_docs;
alter table verdict_docs rename constraint verdicts_pkey to verdict_docs_pkey;
create table verdicts (
  id text primary key,
  incident_id text not null,
  session_id text not null,
  detector text not null,
  phase text not null,
  model text,
  agent text,
  detected_at float8 not null,
  latency_ms float8
);
insert into verdicts select id, incident_id, session_id, detector, phase, model, agent, detected_at, latency_ms from verdict_docs;
alter table verdict_docs drop column incident_id, drop column session_id, drop column detector, drop column phase,
  drop column model, drop column agent, drop column detected_at, drop column latency_ms;
alter table verdict_docs add foreign key (id) references verdicts (id) on delete cascade;
create index verdicts_by_time on verdicts (detected_at, id);
create index verdicts_by_incident on verdicts (incident_id);
create index verdicts_by_session on verdicts (session_id, detected_at, id);

create function pg_temp.said(seen jsonb, what jsonb) returns jsonb language sql as
  'select case when what is null or what = ''null'' then ''null''::jsonb else jsonb_build_object(''value'', what, ''at'',
     jsonb_build_object(''eventIndex'', seen->''verdict''->''eventIndex'', ''phase'', seen->''verdict''->''phase'',
       ''id'', seen->''verdict''->''id'')) end';
update incident_docs set fold = (fold - 'loop') || jsonb_build_object(
  'latest', (fold->'seen'->-1->'verdict') - 'evidence' - 'guidance',
  'loopReason', pg_temp.said(fold->'loop', fold->'loop'->'verdict'->'reason'),
  'guidance', pg_temp.said(fold->'guidance', fold->'guidance'->'verdict'->'guidance'),
  'evidence', pg_temp.said(fold->'evidence', fold->'evidence'->'verdict'->'evidence'),
  'lastEvidence', pg_temp.said(fold->'lastEvidence', fold->'lastEvidence'->'verdict'->'evidence'),
  'seen', (select jsonb_agg(jsonb_build_object('id', v->'id', 'phase', v->'phase', 'action', v->'action', 'count', v->'count',
      'time', v->'time', 'eventIndex', v->'eventIndex', 'detectedAt', one.step->'detectedAt') order by one.n)
    from jsonb_array_elements(fold->'seen') with ordinality as one(step, n), lateral (select one.step->'verdict' as v) as inner_one)
);
drop function pg_temp.said(jsonb, jsonb);
