CREATE TABLE `scheduler_jobs` (
	`job_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`enabled` integer NOT NULL,
	`schedule` text NOT NULL,
	`action` text NOT NULL,
	`misfire` text NOT NULL,
	`next_run_at` integer,
	`last_run_at` integer,
	`last_status` text,
	`lease_owner` text,
	`lease_until` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `scheduler_jobs_tenant` ON `scheduler_jobs` (`tenant_id`,`name`);--> statement-breakpoint
CREATE INDEX `scheduler_jobs_due` ON `scheduler_jobs` (`next_run_at`);--> statement-breakpoint
CREATE TABLE `scheduler_runs` (
	`sequence` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`run_id` text NOT NULL,
	`job_id` text NOT NULL,
	`scheduled_for` integer NOT NULL,
	`trigger` text NOT NULL,
	`started_at` integer NOT NULL,
	`finished_at` integer,
	`status` text NOT NULL,
	`error` text,
	`missed` integer DEFAULT 0 NOT NULL,
	`target_count` integer DEFAULT 0 NOT NULL,
	`failed_count` integer DEFAULT 0 NOT NULL,
	`attempts` integer NOT NULL,
	`lease_owner` text,
	`lease_until` integer,
	FOREIGN KEY (`job_id`) REFERENCES `scheduler_jobs`(`job_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `scheduler_runs_run_id_unique` ON `scheduler_runs` (`run_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `scheduler_runs_time` ON `scheduler_runs` (`job_id`,`scheduled_for`);--> statement-breakpoint
CREATE INDEX `scheduler_runs_job` ON `scheduler_runs` (`job_id`,`sequence`);--> statement-breakpoint
CREATE INDEX `scheduler_runs_status` ON `scheduler_runs` (`status`);--> statement-breakpoint
CREATE TABLE `scheduler_targets` (
	`run_id` text NOT NULL,
	`device_id` text NOT NULL,
	`name` text,
	`status` text NOT NULL,
	`error` text,
	`command_id` text,
	PRIMARY KEY(`run_id`, `device_id`),
	FOREIGN KEY (`run_id`) REFERENCES `scheduler_runs`(`run_id`) ON UPDATE no action ON DELETE cascade
);
