CREATE TABLE `device_credentials` (
	`device_id` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`client_id` text,
	`username` text,
	`identity` text,
	`password_hash` text,
	`fingerprint` text,
	`valid_to` integer,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `device_credentials_identity` ON `device_credentials` (`identity`);--> statement-breakpoint
CREATE UNIQUE INDEX `device_credentials_fingerprint` ON `device_credentials` (`fingerprint`);--> statement-breakpoint
CREATE TABLE `device_claims` (
	`device_id` text PRIMARY KEY NOT NULL,
	`claimed_at` integer NOT NULL,
	`address` text NOT NULL,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `profile_provisioning` (
	`profile_id` text PRIMARY KEY NOT NULL,
	`mode` text NOT NULL,
	`key` text NOT NULL,
	`secret` text NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`profile_id`) REFERENCES `device_profiles`(`profile_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `profile_provisioning_key` ON `profile_provisioning` (`key`);--> statement-breakpoint
ALTER TABLE `device_profiles` ADD `sessions_max` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `device_profiles` ADD `messages_per_second` integer;--> statement-breakpoint
ALTER TABLE `device_profiles` ADD `messages_burst` integer;