CREATE TABLE `alarm_trims` (
	`device_id` text PRIMARY KEY NOT NULL,
	`deleted_until` integer NOT NULL,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE cascade
);
