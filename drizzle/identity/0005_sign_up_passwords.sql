CREATE TABLE `sign_up_passwords` (
	`email` text PRIMARY KEY NOT NULL,
	`password_hash` text NOT NULL,
	`kept_until` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sign_up_passwords_kept_until` ON `sign_up_passwords` (`kept_until`);