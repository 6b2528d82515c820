CREATE TABLE `attribute_changes` (
	`change_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`device_id` text NOT NULL,
	`scope` text NOT NULL,
	`key` text NOT NULL,
	`value` text,
	`at` integer NOT NULL,
	`source` text NOT NULL,
	`by` text,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `attribute_changes_device` ON `attribute_changes` (`device_id`,`change_id`);