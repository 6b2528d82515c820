CREATE TABLE `alarm_escalation` (
	`tenant_id` text PRIMARY KEY NOT NULL,
	`level1_to2_minutes` integer NOT NULL,
	`level2_to3_minutes` integer NOT NULL,
	`stop_on_ack` integer NOT NULL,
	`stop_on_clear` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `alarm_events` (
	`sequence` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`event_id` text NOT NULL,
	`alarm_id` text NOT NULL,
	`event_type` text NOT NULL,
	`message` text NOT NULL,
	`by` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`alarm_id`) REFERENCES `alarms`(`alarm_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `alarm_events_alarm` ON `alarm_events` (`alarm_id`,`sequence`);--> statement-breakpoint
CREATE TABLE `alarm_states` (
	`device_id` text PRIMARY KEY NOT NULL,
	`state` text NOT NULL,
	`due_at` integer,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `alarm_states_due` ON `alarm_states` (`due_at`);--> statement-breakpoint
CREATE TABLE `alarms` (
	`sequence` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`alarm_id` text NOT NULL,
	`tenant_id` text NOT NULL,
	`device_id` text NOT NULL,
	`alarm_type` text NOT NULL,
	`severity` text NOT NULL,
	`status` text NOT NULL,
	`message` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`acknowledged_at` integer,
	`acknowledged_by` text,
	`cleared_at` integer,
	`cleared_by` text,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `alarms_alarm_id_unique` ON `alarms` (`alarm_id`);--> statement-breakpoint
CREATE INDEX `alarms_tenant` ON `alarms` (`tenant_id`,`sequence`);--> statement-breakpoint
CREATE INDEX `alarms_device` ON `alarms` (`device_id`,`sequence`);--> statement-breakpoint
CREATE UNIQUE INDEX `alarms_open` ON `alarms` (`device_id`,`alarm_type`) WHERE cleared_at IS NULL;