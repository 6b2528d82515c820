CREATE TABLE `sign_ups` (
	`email` text PRIMARY KEY NOT NULL,
	`full_name` text NOT NULL,
	`plan_id` text NOT NULL,
	`code_hash` text NOT NULL,
	`code_expires_at` integer NOT NULL,
	`tries_left` integer NOT NULL,
	`confirmed_at` integer
);
--> statement-breakpoint
ALTER TABLE `sessions` ADD `impersonator_session_id` text;--> statement-breakpoint
ALTER TABLE `sessions` ADD `address` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `user_agent` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `last_used_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `sessions_impersonator` ON `sessions` (`impersonator_session_id`);