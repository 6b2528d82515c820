CREATE TABLE `occurrences` (
	`subject` text NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `occurrences_subject` ON `occurrences` (`subject`,`at`);--> statement-breakpoint
CREATE INDEX `occurrences_at` ON `occurrences` (`at`);