DROP INDEX `devices_parent`;--> statement-breakpoint
ALTER TABLE `devices` ADD `child_name` text;--> statement-breakpoint
UPDATE `devices` SET `child_name` = `name` WHERE `parent_device_id` IS NOT NULL AND NOT EXISTS (SELECT 1 FROM `devices` AS `older` WHERE `older`.`parent_device_id` = `devices`.`parent_device_id` AND `older`.`name` = `devices`.`name` AND `older`.`device_id` < `devices`.`device_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `devices_child` ON `devices` (`parent_device_id`,`child_name`);--> statement-breakpoint
ALTER TABLE `device_profiles` ADD `creates_children` integer DEFAULT true NOT NULL;