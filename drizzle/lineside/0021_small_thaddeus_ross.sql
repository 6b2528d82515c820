CREATE TABLE `integration_downlinks` (
	`sequence` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`downlink_id` text NOT NULL,
	`tenant_id` text NOT NULL,
	`integration_id` text NOT NULL,
	`device_id` text,
	`device_key` text NOT NULL,
	`command_rpc_id` integer,
	`f_port` integer,
	`confirmed` integer NOT NULL,
	`priority` text,
	`payload` text NOT NULL,
	`state` text NOT NULL,
	`network_id` text,
	`attempts` integer NOT NULL,
	`error` text,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`next_attempt_at` integer NOT NULL,
	`changed_at` integer NOT NULL,
	FOREIGN KEY (`integration_id`) REFERENCES `integrations`(`integration_id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `integration_downlinks_downlink_id_unique` ON `integration_downlinks` (`downlink_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `integration_downlinks_command_rpc_id_unique` ON `integration_downlinks` (`command_rpc_id`);--> statement-breakpoint
CREATE INDEX `integration_downlinks_due` ON `integration_downlinks` (`state`,`next_attempt_at`);--> statement-breakpoint
CREATE INDEX `integration_downlinks_device` ON `integration_downlinks` (`integration_id`,`device_key`,`sequence`);--> statement-breakpoint
CREATE INDEX `integration_downlinks_network` ON `integration_downlinks` (`integration_id`,`network_id`);--> statement-breakpoint
CREATE INDEX `integration_downlinks_of_device` ON `integration_downlinks` (`device_id`);--> statement-breakpoint
CREATE INDEX `integration_downlinks_changed` ON `integration_downlinks` (`changed_at`);--> statement-breakpoint
CREATE TABLE `integration_routes` (
	`tenant_id` text NOT NULL,
	`device_key` text NOT NULL,
	`integration_id` text NOT NULL,
	`application_id` text,
	`network_device_id` text,
	`topic_application` text,
	`push_url` text,
	PRIMARY KEY(`tenant_id`, `device_key`),
	FOREIGN KEY (`integration_id`) REFERENCES `integrations`(`integration_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `integration_routes_integration` ON `integration_routes` (`integration_id`);