DROP INDEX `dashboard_shares_token_unique`;--> statement-breakpoint
ALTER TABLE `dashboard_shares` ADD `token_hash` text NOT NULL;--> statement-breakpoint
ALTER TABLE `dashboard_shares` ADD `token_sealed` text NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `dashboard_shares_token_hash_unique` ON `dashboard_shares` (`token_hash`);--> statement-breakpoint
ALTER TABLE `dashboard_shares` DROP COLUMN `token`;--> statement-breakpoint
DROP INDEX `devices_token`;--> statement-breakpoint
ALTER TABLE `devices` ADD `token_hash` text NOT NULL;--> statement-breakpoint
ALTER TABLE `devices` ADD `token_sealed` text NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `devices_token` ON `devices` (`token_hash`);--> statement-breakpoint
ALTER TABLE `devices` DROP COLUMN `token`;--> statement-breakpoint
ALTER TABLE `mails` ADD `values_sealed` text NOT NULL;--> statement-breakpoint
ALTER TABLE `mails` DROP COLUMN `values`;--> statement-breakpoint
ALTER TABLE `profile_provisioning` ADD `secret_sealed` text NOT NULL;--> statement-breakpoint
ALTER TABLE `profile_provisioning` DROP COLUMN `secret`;