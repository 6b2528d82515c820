CREATE TABLE `notification_flows` (
	`user_id` text NOT NULL,
	`channel` text NOT NULL,
	`ends_at` integer NOT NULL,
	`sent` integer NOT NULL,
	`gathered` text,
	PRIMARY KEY(`user_id`, `channel`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`user_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `notification_flows_end` ON `notification_flows` (`ends_at`);--> statement-breakpoint
CREATE TABLE `notification_notices` (
	`sequence` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` text NOT NULL,
	`alarm_id` text NOT NULL,
	`device_id` text NOT NULL,
	`trigger` text NOT NULL,
	`severity` text NOT NULL,
	`former_severity` text,
	`level` integer NOT NULL,
	`alarm_type` text NOT NULL,
	`message` text NOT NULL,
	`at` integer NOT NULL,
	FOREIGN KEY (`alarm_id`) REFERENCES `alarms`(`alarm_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `notification_notices_alarm` ON `notification_notices` (`alarm_id`);--> statement-breakpoint
CREATE TABLE `notification_settings` (
	`tenant_id` text PRIMARY KEY NOT NULL,
	`language` text NOT NULL,
	`timezone` text NOT NULL,
	`digest_after` integer NOT NULL,
	`digest_minutes` integer NOT NULL,
	`messaging` text,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
