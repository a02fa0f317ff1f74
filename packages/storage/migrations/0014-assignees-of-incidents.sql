alter table incidents add column assignee text;
create index incidents_by_assignee on incidents (assignee) where assignee is not null;
update triage set doc = '{"assignee": null}'::jsonb || doc,
  history = (
    select coalesce(jsonb_agg(change || jsonb_build_object(
      'from', '{"assignee": null}'::jsonb || (change->'from'), 'to', '{"assignee": null}'::jsonb || (change->'to')
    ) order by place), '[]')
    from jsonb_array_elements(history) with ordinality as changes (change, place)
  );
