CREATE TABLE `attributes` (
	`device_id` text NOT NULL,
	`scope` text NOT NULL,
	`key` text NOT NULL,
	`value` text NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`device_id`, `scope`, `key`),
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `attributes_key` ON `attributes` (`key`);--> statement-breakpoint
CREATE TABLE `device_activity` (
	`device_id` text PRIMARY KEY NOT NULL,
	`active` integer NOT NULL,
	`last_activity_at` integer,
	`last_connected_at` integer,
	`last_disconnected_at` integer,
	`inactivity_alarm_at` integer,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `device_rejections` (
	`rejection_id` text PRIMARY KEY NOT NULL,
	`device_id` text NOT NULL,
	`at` integer NOT NULL,
	`source` text NOT NULL,
	`where` text NOT NULL,
	`code` text NOT NULL,
	`reason` text NOT NULL,
	`sample` text,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `device_rejections_device` ON `device_rejections` (`device_id`,`at`);--> statement-breakpoint
CREATE TABLE `device_type_defaults` (
	`tenant_id` text NOT NULL,
	`device_type` text NOT NULL,
	`target_dashboard_id` text,
	`target_state_id` text,
	PRIMARY KEY(`tenant_id`, `device_type`),
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `devices` (
	`device_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`profile_id` text NOT NULL,
	`name` text NOT NULL,
	`label` text DEFAULT '' NOT NULL,
	`device_type` text NOT NULL,
	`asset_id` text,
	`parent_device_id` text,
	`role` text NOT NULL,
	`inactivity_timeout_ms` integer,
	`target_dashboard_id` text,
	`target_state_id` text,
	`command_transport` text,
	`tags` text NOT NULL,
	`token` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`profile_id`) REFERENCES `device_profiles`(`profile_id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`parent_device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE UNIQUE INDEX `devices_token` ON `devices` (`token`);--> statement-breakpoint
CREATE INDEX `devices_name` ON `devices` (`tenant_id`,`name`);--> statement-breakpoint
CREATE INDEX `devices_type` ON `devices` (`tenant_id`,`device_type`);--> statement-breakpoint
CREATE INDEX `devices_parent` ON `devices` (`parent_device_id`);--> statement-breakpoint
CREATE INDEX `devices_profile` ON `devices` (`profile_id`);--> statement-breakpoint
CREATE TABLE `device_profiles` (
	`profile_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`is_default` integer DEFAULT false NOT NULL,
	`alarm_rules` text NOT NULL,
	`inactivity_timeout_ms` integer NOT NULL,
	`retention_days` integer,
	`telemetry_topic` text,
	`payload` text NOT NULL,
	`command_timeout_ms` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `device_profiles_name` ON `device_profiles` (`tenant_id`,`name`);--> statement-breakpoint
CREATE TABLE `tenants` (
	`tenant_id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`plan_name` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `user_devices` (
	`user_id` text NOT NULL,
	`device_id` text NOT NULL,
	PRIMARY KEY(`user_id`, `device_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`user_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `users` (
	`user_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text,
	`email` text NOT NULL,
	`full_name` text DEFAULT '' NOT NULL,
	`role` text NOT NULL,
	`status` text NOT NULL,
	`can_acknowledge_alarms` integer DEFAULT false NOT NULL,
	`has_global_device_access` integer DEFAULT true NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_email_unique` ON `users` (`email`);--> statement-breakpoint
CREATE INDEX `users_tenant` ON `users` (`tenant_id`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`session_id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`impersonator_id` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`user_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `sessions_user` ON `sessions` (`user_id`);--> statement-breakpoint
CREATE TABLE `setup_links` (
	`secret_hash` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
);
