CREATE INDEX `audit_entries_action` ON `audit_entries` (`tenant_id`,`action`);--> statement-breakpoint
CREATE INDEX `audit_entries_outcome` ON `audit_entries` (`outcome`);