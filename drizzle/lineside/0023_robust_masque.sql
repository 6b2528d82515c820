CREATE TABLE `dashboard_shares` (
	`share_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`dashboard_id` text NOT NULL,
	`token` text NOT NULL,
	`name` text NOT NULL,
	`device_id` text,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`dashboard_id`) REFERENCES `dashboards`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `dashboard_shares_token_unique` ON `dashboard_shares` (`token`);--> statement-breakpoint
CREATE INDEX `dashboard_shares_dashboard` ON `dashboard_shares` (`dashboard_id`);