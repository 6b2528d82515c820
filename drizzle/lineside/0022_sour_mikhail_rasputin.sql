CREATE TABLE `dashboards` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`type` text NOT NULL,
	`states` text NOT NULL,
	`layout` text NOT NULL,
	`widgets` text NOT NULL,
	`aliases` text NOT NULL,
	`time_window` text,
	`configuration` text,
	`settings` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `dashboards_tenant` ON `dashboards` (`tenant_id`,`name`);