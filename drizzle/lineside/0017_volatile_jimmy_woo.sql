CREATE TABLE `alarm_commands` (
	`sequence` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`alarm_id` text NOT NULL,
	`request_id` text NOT NULL,
	`device_id` text NOT NULL,
	`method` text NOT NULL,
	`params` text NOT NULL,
	FOREIGN KEY (`alarm_id`) REFERENCES `alarms`(`alarm_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `alarms` ADD `gateway_id` text;--> statement-breakpoint
ALTER TABLE `alarms` ADD `escalation_level` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `alarms` ADD `escalation_since` integer;--> statement-breakpoint
CREATE INDEX `alarms_gateway` ON `alarms` (`gateway_id`,`sequence`) WHERE gateway_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `alarms_escalating` ON `alarms` (`escalation_since`) WHERE escalation_since IS NOT NULL;