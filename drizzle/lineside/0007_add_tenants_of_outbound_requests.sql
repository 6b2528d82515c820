DROP INDEX `outbound_requests_dead`;--> statement-breakpoint
ALTER TABLE `outbound_requests` ADD `tenant_id` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `outbound_requests_waiting` ON `outbound_requests` (`target_id`,`seq`) WHERE state = 'WAITING';--> statement-breakpoint
CREATE INDEX `outbound_requests_dead` ON `outbound_requests` (`tenant_id`,`died_at`,`bytes`) WHERE state = 'DEAD';--> statement-breakpoint
UPDATE `outbound_requests` SET `tenant_id` = (SELECT `tenant_id` FROM `outbound_targets` WHERE `outbound_targets`.`target_id` = `outbound_requests`.`target_id`);
