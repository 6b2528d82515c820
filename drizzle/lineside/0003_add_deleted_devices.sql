CREATE TABLE `deleted_devices` (
	`device_id` text PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TRIGGER `devices_deleted` AFTER DELETE ON `devices` BEGIN INSERT OR IGNORE INTO `deleted_devices` VALUES (old.`device_id`); END;
