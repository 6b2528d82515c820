CREATE TABLE `commands` (
	`rpc_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`command_id` text NOT NULL,
	`tenant_id` text NOT NULL,
	`device_id` text NOT NULL,
	`request_id` text NOT NULL,
	`method` text NOT NULL,
	`params` text NOT NULL,
	`status` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`retries` integer NOT NULL,
	`retry_interval_ms` integer NOT NULL,
	`timeout_ms` integer NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`sent_at` integer,
	`delivered_at` integer,
	`finished_at` integer,
	`due_at` integer,
	`response` text,
	`error` text,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `commands_command_id_unique` ON `commands` (`command_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `commands_request` ON `commands` (`device_id`,`request_id`);--> statement-breakpoint
CREATE INDEX `commands_device_status` ON `commands` (`device_id`,`status`);--> statement-breakpoint
CREATE INDEX `commands_due` ON `commands` (`due_at`);--> statement-breakpoint
CREATE INDEX `commands_finished` ON `commands` (`finished_at`);