DROP INDEX `mails_due`;--> statement-breakpoint
ALTER TABLE `mails` ADD `is_alarm` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `mails_due` ON `mails` (`state`,`is_alarm`,`tenant_id`,`next_attempt_at`);--> statement-breakpoint
UPDATE `mails` SET `is_alarm` = 1 WHERE `template` IN ('alarm', 'alarm_digest', 'notification_test');
