ALTER TABLE `alarms` ADD `profile_id` text DEFAULT '' NOT NULL;--> statement-breakpoint
UPDATE `alarms` SET `profile_id` = (SELECT `profile_id` FROM `devices` WHERE `devices`.`device_id` = `alarms`.`device_id`);--> statement-breakpoint
CREATE INDEX `alarms_rule` ON `alarms` (`profile_id`,`alarm_type`,`sequence`);--> statement-breakpoint
CREATE INDEX `alarms_standing` ON `alarms` (`tenant_id`,`sequence`) WHERE cleared_at IS NULL;--> statement-breakpoint
CREATE INDEX `alarms_unacknowledged` ON `alarms` (`tenant_id`,`sequence`) WHERE acknowledged_at IS NULL;--> statement-breakpoint
CREATE INDEX `alarm_events_counted` ON `alarm_events` (`created_at`,`sequence`) WHERE event_type IN ('CREATED', 'REOPENED', 'ACK');