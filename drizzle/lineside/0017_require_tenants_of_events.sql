PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_alarm_events` (
	`sequence` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`event_id` text NOT NULL,
	`alarm_id` text NOT NULL,
	`tenant_id` text NOT NULL,
	`event_type` text NOT NULL,
	`code` text NOT NULL,
	`params` text NOT NULL,
	`by` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`alarm_id`) REFERENCES `alarms`(`alarm_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `sqlite_sequence`(`name`, `seq`) SELECT '__new_alarm_events', `seq` FROM `sqlite_sequence` WHERE `name` = 'alarm_events';--> statement-breakpoint
INSERT INTO `__new_alarm_events`("sequence", "event_id", "alarm_id", "tenant_id", "event_type", "code", "params", "by", "created_at") SELECT "sequence", "event_id", "alarm_id", "tenant_id", "event_type", "code", "params", "by", "created_at" FROM `alarm_events`;--> statement-breakpoint
DROP TABLE `alarm_events`;--> statement-breakpoint
ALTER TABLE `__new_alarm_events` RENAME TO `alarm_events`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE INDEX `alarm_events_alarm` ON `alarm_events` (`alarm_id`,`sequence`);--> statement-breakpoint
CREATE INDEX `alarm_events_counted` ON `alarm_events` (`tenant_id`,`created_at`,`sequence`) WHERE event_type IN ('CREATED', 'REOPENED', 'ACK');--> statement-breakpoint
CREATE INDEX `alarm_events_tenant` ON `alarm_events` (`tenant_id`,`sequence`);--> statement-breakpoint
CREATE TABLE `__new_outbound_requests` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` text NOT NULL,
	`target_id` text NOT NULL,
	`order_key` text NOT NULL,
	`content_type` text NOT NULL,
	`body` text NOT NULL,
	`bytes` integer NOT NULL,
	`state` text NOT NULL,
	`attempts` integer NOT NULL,
	`queued_at` integer NOT NULL,
	`due_at` integer NOT NULL,
	`tried_at` integer,
	`last_status` integer,
	`last_error` text,
	`created_at` integer NOT NULL,
	`died_at` integer,
	`dedupe_key` text,
	FOREIGN KEY (`target_id`) REFERENCES `outbound_targets`(`target_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `sqlite_sequence`(`name`, `seq`) SELECT '__new_outbound_requests', `seq` FROM `sqlite_sequence` WHERE `name` = 'outbound_requests';--> statement-breakpoint
INSERT INTO `__new_outbound_requests`("seq", "tenant_id", "target_id", "order_key", "content_type", "body", "bytes", "state", "attempts", "queued_at", "due_at", "tried_at", "last_status", "last_error", "created_at", "died_at", "dedupe_key") SELECT "seq", "tenant_id", "target_id", "order_key", "content_type", "body", "bytes", "state", "attempts", "queued_at", "due_at", "tried_at", "last_status", "last_error", "created_at", "died_at", "dedupe_key" FROM `outbound_requests`;--> statement-breakpoint
DROP TABLE `outbound_requests`;--> statement-breakpoint
ALTER TABLE `__new_outbound_requests` RENAME TO `outbound_requests`;--> statement-breakpoint
CREATE INDEX `outbound_requests_lane` ON `outbound_requests` (`target_id`,`state`,`order_key`,`seq`);--> statement-breakpoint
CREATE INDEX `outbound_requests_waiting` ON `outbound_requests` (`target_id`,`seq`) WHERE state = 'WAITING';--> statement-breakpoint
CREATE INDEX `outbound_requests_dead` ON `outbound_requests` (`tenant_id`,`died_at`,`bytes`) WHERE state = 'DEAD';--> statement-breakpoint
CREATE UNIQUE INDEX `outbound_requests_dedupe` ON `outbound_requests` (`target_id`,`dedupe_key`) WHERE dedupe_key IS NOT NULL;--> statement-breakpoint
CREATE TABLE `__new_attribute_changes` (
	`change_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` text NOT NULL,
	`device_id` text NOT NULL,
	`scope` text NOT NULL,
	`key` text NOT NULL,
	`value` text,
	`at` integer NOT NULL,
	`source` text NOT NULL,
	`by` text,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `sqlite_sequence`(`name`, `seq`) SELECT '__new_attribute_changes', `seq` FROM `sqlite_sequence` WHERE `name` = 'attribute_changes';--> statement-breakpoint
INSERT INTO `__new_attribute_changes`("change_id", "tenant_id", "device_id", "scope", "key", "value", "at", "source", "by") SELECT "change_id", "tenant_id", `attribute_changes`."device_id", "scope", "key", "value", "at", "source", "by" FROM `attribute_changes` JOIN `devices` ON `devices`.`device_id` = `attribute_changes`.`device_id`;--> statement-breakpoint
DROP TABLE `attribute_changes`;--> statement-breakpoint
ALTER TABLE `__new_attribute_changes` RENAME TO `attribute_changes`;--> statement-breakpoint
CREATE INDEX `attribute_changes_device` ON `attribute_changes` (`device_id`,`change_id`);--> statement-breakpoint
CREATE INDEX `attribute_changes_tenant` ON `attribute_changes` (`tenant_id`,`change_id`);