CREATE TABLE `dashboard_choices` (
	`user_id` text NOT NULL,
	`dashboard_id` text NOT NULL,
	`is_favorite` integer NOT NULL,
	`is_start` integer NOT NULL,
	PRIMARY KEY(`user_id`, `dashboard_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`user_id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`dashboard_id`) REFERENCES `dashboards`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `dashboards` ADD `tags` text DEFAULT '[]' NOT NULL;