ALTER TABLE `sessions` ADD `generation` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `renewed_at` integer DEFAULT 0 NOT NULL;