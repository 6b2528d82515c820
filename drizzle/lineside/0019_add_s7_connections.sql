CREATE TABLE `s7_connections` (
	`connection_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`enabled` integer NOT NULL,
	`host` text NOT NULL,
	`port` integer NOT NULL,
	`timeout_ms` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`rack` integer NOT NULL,
	`slot` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `s7_connections_name` ON `s7_connections` (`tenant_id`,`name`);--> statement-breakpoint
CREATE TABLE `s7_units` (
	`s7_unit_id` text PRIMARY KEY NOT NULL,
	`connection_id` text NOT NULL,
	`device_id` text NOT NULL,
	`interval_ms` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`tags` text NOT NULL,
	FOREIGN KEY (`connection_id`) REFERENCES `s7_connections`(`connection_id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `s7_units_device` ON `s7_units` (`device_id`);--> statement-breakpoint
CREATE INDEX `s7_units_connection` ON `s7_units` (`connection_id`);