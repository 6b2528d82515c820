CREATE TABLE `opcua_connections` (
	`connection_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`enabled` integer NOT NULL,
	`host` text NOT NULL,
	`port` integer NOT NULL,
	`timeout_ms` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`path` text NOT NULL,
	`security_mode` text NOT NULL,
	`security_policy` text NOT NULL,
	`accepted_fingerprint` text,
	`sign_in` text NOT NULL,
	`user_name` text,
	`password_sealed` text,
	`stores_uncertain` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `opcua_connections_name` ON `opcua_connections` (`tenant_id`,`name`);--> statement-breakpoint
CREATE TABLE `opcua_units` (
	`opcua_unit_id` text PRIMARY KEY NOT NULL,
	`connection_id` text NOT NULL,
	`device_id` text NOT NULL,
	`interval_ms` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`items` text NOT NULL,
	FOREIGN KEY (`connection_id`) REFERENCES `opcua_connections`(`connection_id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `opcua_units_device` ON `opcua_units` (`device_id`);--> statement-breakpoint
CREATE INDEX `opcua_units_connection` ON `opcua_units` (`connection_id`);