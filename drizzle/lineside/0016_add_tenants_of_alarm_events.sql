DROP INDEX `alarm_events_counted`;--> statement-breakpoint
ALTER TABLE `alarm_events` ADD `tenant_id` text DEFAULT '' NOT NULL;--> statement-breakpoint
UPDATE `alarm_events` SET `tenant_id` = (SELECT `tenant_id` FROM `alarms` WHERE `alarms`.`alarm_id` = `alarm_events`.`alarm_id`);--> statement-breakpoint
CREATE INDEX `alarm_events_tenant` ON `alarm_events` (`tenant_id`,`sequence`);--> statement-breakpoint
CREATE INDEX `alarm_events_counted` ON `alarm_events` (`tenant_id`,`created_at`,`sequence`) WHERE event_type IN ('CREATED', 'REOPENED', 'ACK');