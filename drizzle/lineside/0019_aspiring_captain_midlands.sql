CREATE TABLE `integration_events` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`event_id` text NOT NULL,
	`integration_id` text NOT NULL,
	`direction` text NOT NULL,
	`status` text NOT NULL,
	`stage` text NOT NULL,
	`message` text NOT NULL,
	`payload` blob,
	`origin` text,
	`result` text,
	`is_replayable` integer NOT NULL,
	`replayed_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`integration_id`) REFERENCES `integrations`(`integration_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `integration_events_id` ON `integration_events` (`event_id`);--> statement-breakpoint
CREATE INDEX `integration_events_newest` ON `integration_events` (`integration_id`,`status`,`seq`);--> statement-breakpoint
CREATE TABLE `integration_seen` (
	`integration_id` text NOT NULL,
	`key` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`integration_id`, `key`),
	FOREIGN KEY (`integration_id`) REFERENCES `integrations`(`integration_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `integration_seen_at` ON `integration_seen` (`at`);--> statement-breakpoint
CREATE TABLE `integrations` (
	`integration_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`type` text NOT NULL,
	`status` text NOT NULL,
	`is_default` integer NOT NULL,
	`settings` text NOT NULL,
	`secrets` text,
	`mapping_steps` text NOT NULL,
	`received` integer NOT NULL,
	`stored` integer NOT NULL,
	`dropped` integer NOT NULL,
	`failed` integer NOT NULL,
	`sent` integer NOT NULL,
	`last_message_at` integer,
	`last_error` text,
	`last_error_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `integrations_tenant` ON `integrations` (`tenant_id`,`type`);--> statement-breakpoint
CREATE INDEX `attributes_dev_eui` ON `attributes` (`value`) WHERE key = 'integration.lorawan.dev_eui';--> statement-breakpoint
CREATE INDEX `attributes_external_id` ON `attributes` (`value`) WHERE key = 'integration.external_id';