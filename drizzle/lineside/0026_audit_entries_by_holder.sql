DROP INDEX `audit_entries_outcome`;--> statement-breakpoint
ALTER TABLE `audit_entries` ADD `share` text DEFAULT 'members' NOT NULL;--> statement-breakpoint
ALTER TABLE `audit_entries` ADD `holder` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `audit_entries_holder` ON `audit_entries` (`tenant_id`,`share`,`holder`,`sequence`);