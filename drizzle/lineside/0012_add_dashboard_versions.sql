CREATE TABLE `dashboard_versions` (
	`dashboard_id` text NOT NULL,
	`version` integer NOT NULL,
	`tenant_id` text NOT NULL,
	`saved_by` text NOT NULL,
	`saved_at` integer NOT NULL,
	`name` text NOT NULL,
	`widgets` integer NOT NULL,
	`bytes` integer NOT NULL,
	`content` text NOT NULL,
	PRIMARY KEY(`dashboard_id`, `version`),
	FOREIGN KEY (`dashboard_id`) REFERENCES `dashboards`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `dashboard_versions_tenant` ON `dashboard_versions` (`tenant_id`,`saved_at`);--> statement-breakpoint
ALTER TABLE `dashboards` ADD `version` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `dashboards` ADD `updated_by` text DEFAULT '' NOT NULL;