CREATE TABLE `accounts` (
	`account_id` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`password_hash` text NOT NULL,
	`must_change_password` integer DEFAULT false NOT NULL,
	`totp_sealed` text,
	`totp_pending_sealed` text,
	`totp_last_step` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `accounts_email_unique` ON `accounts` (`email`);--> statement-breakpoint
CREATE TABLE `known_clients` (
	`account_id` text NOT NULL,
	`client` text NOT NULL,
	`last_used_at` integer NOT NULL,
	PRIMARY KEY(`account_id`, `client`),
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`account_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `known_clients_last_used` ON `known_clients` (`last_used_at`);--> statement-breakpoint
CREATE TABLE `occurrences` (
	`subject` text NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `occurrences_subject` ON `occurrences` (`subject`,`at`);--> statement-breakpoint
CREATE INDEX `occurrences_at` ON `occurrences` (`at`);--> statement-breakpoint
CREATE TABLE `recovery_codes` (
	`account_id` text NOT NULL,
	`code_hash` text NOT NULL,
	PRIMARY KEY(`account_id`, `code_hash`),
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`account_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `sign_in_codes` (
	`code_hash` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`redirect_uri` text,
	`code_challenge` text,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `sign_up_passwords` (
	`email` text PRIMARY KEY NOT NULL,
	`password_hash` text NOT NULL,
	`kept_until` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sign_up_passwords_kept_until` ON `sign_up_passwords` (`kept_until`);--> statement-breakpoint
CREATE TABLE `throttles` (
	`subject` text PRIMARY KEY NOT NULL,
	`recovers_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `throttles_recovers` ON `throttles` (`recovers_at`);--> statement-breakpoint
CREATE TABLE `tickets` (
	`secret_hash` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`purpose` text NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`account_id`) ON UPDATE no action ON DELETE cascade
);
