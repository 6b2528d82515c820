ALTER TABLE `accounts` ADD `totp_sealed` text;--> statement-breakpoint
ALTER TABLE `accounts` ADD `totp_pending_sealed` text;--> statement-breakpoint
ALTER TABLE `accounts` DROP COLUMN `totp_secret`;--> statement-breakpoint
ALTER TABLE `accounts` DROP COLUMN `totp_pending_secret`;