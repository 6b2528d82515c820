DROP TABLE `authorization_codes`;--> statement-breakpoint
DROP TABLE `sign_in_failures`;--> statement-breakpoint
ALTER TABLE `accounts` ADD `totp_secret` text;--> statement-breakpoint
ALTER TABLE `accounts` ADD `totp_pending_secret` text;--> statement-breakpoint
ALTER TABLE `accounts` ADD `totp_last_step` integer DEFAULT 0 NOT NULL;