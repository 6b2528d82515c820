CREATE TABLE `device_maintenance` (
	`device_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`since` integer NOT NULL,
	`until` integer NOT NULL,
	`reason` text NOT NULL,
	`by` text NOT NULL,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE cascade
);
