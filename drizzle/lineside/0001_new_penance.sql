CREATE TABLE `api_key_devices` (
	`api_key_id` text NOT NULL,
	`device_id` text NOT NULL,
	PRIMARY KEY(`api_key_id`, `device_id`),
	FOREIGN KEY (`api_key_id`) REFERENCES `api_keys`(`api_key_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `api_key_devices_device` ON `api_key_devices` (`device_id`);--> statement-breakpoint
CREATE TABLE `api_keys` (
	`api_key_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`secret_hash` text NOT NULL,
	`hint` text NOT NULL,
	`role` text NOT NULL,
	`has_global_device_access` integer NOT NULL,
	`created_by` text,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`last_used_at` integer,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_secret` ON `api_keys` (`secret_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_name` ON `api_keys` (`tenant_id`,`name`);--> statement-breakpoint
CREATE INDEX `api_keys_creator` ON `api_keys` (`created_by`);--> statement-breakpoint
CREATE TABLE `user_assets` (
	`user_id` text NOT NULL,
	`asset_id` text NOT NULL,
	PRIMARY KEY(`user_id`, `asset_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`user_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `users` ADD `has_global_asset_access` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `notifications_email_enabled` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `notifications_messaging_enabled` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `notification_phone` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `notification_escalation_level` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `notification_severities` text DEFAULT '["WARNING","MINOR","MAJOR","CRITICAL"]' NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `notify_on_alarm_created` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `notify_on_alarm_escalated` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `notify_on_alarm_cleared` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `invite_delivery` text DEFAULT 'MANUAL' NOT NULL;--> statement-breakpoint
CREATE INDEX `devices_asset` ON `devices` (`tenant_id`,`asset_id`);--> statement-breakpoint
CREATE INDEX `user_devices_device` ON `user_devices` (`device_id`);