ALTER TABLE `users` ADD `confirmed_at` integer;--> statement-breakpoint
UPDATE `users` SET `confirmed_at` = `created_at`;
