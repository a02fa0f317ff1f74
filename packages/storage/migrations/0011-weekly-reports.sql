-- When the weekly report that was sent last was due, epoch ms.
alter table notification_channels add column report_at float8 not null default 0;
