CREATE TABLE `integration_profiles` (
	`profile_id` text PRIMARY KEY NOT NULL,
	`integration_id` text NOT NULL,
	FOREIGN KEY (`profile_id`) REFERENCES `device_profiles`(`profile_id`) ON UPDATE no action ON DELETE cascade
);
