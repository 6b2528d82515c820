CREATE TABLE `bacnet_connections` (
	`connection_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`enabled` integer NOT NULL,
	`host` text NOT NULL,
	`port` integer NOT NULL,
	`timeout_ms` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`device_instance` integer NOT NULL,
	`network` integer,
	`mac` text,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `bacnet_connections_name` ON `bacnet_connections` (`tenant_id`,`name`);--> statement-breakpoint
CREATE TABLE `bacnet_units` (
	`bacnet_unit_id` text PRIMARY KEY NOT NULL,
	`connection_id` text NOT NULL,
	`device_id` text NOT NULL,
	`interval_ms` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`objects` text NOT NULL,
	FOREIGN KEY (`connection_id`) REFERENCES `bacnet_connections`(`connection_id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `bacnet_units_device` ON `bacnet_units` (`device_id`);--> statement-breakpoint
CREATE INDEX `bacnet_units_connection` ON `bacnet_units` (`connection_id`);