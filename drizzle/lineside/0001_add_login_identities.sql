CREATE TABLE `login_identities` (
	`owner_id` text PRIMARY KEY NOT NULL,
	`device_id` text,
	`mqtt_client_id` text,
	`tenant_id` text NOT NULL,
	`kind` text NOT NULL,
	`value` text NOT NULL,
	`since` integer NOT NULL,
	`confirmed_at` integer,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`mqtt_client_id`) REFERENCES `mqtt_clients`(`mqtt_client_id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `login_identities_in_tenant` ON `login_identities` (`kind`,`value`,`tenant_id`);--> statement-breakpoint
CREATE INDEX `login_identities_device` ON `login_identities` (`device_id`);--> statement-breakpoint
CREATE INDEX `login_identities_mqtt_client` ON `login_identities` (`mqtt_client_id`);--> statement-breakpoint
CREATE INDEX `login_identities_tenant` ON `login_identities` (`tenant_id`);--> statement-breakpoint
DROP INDEX `device_credentials_identity`;--> statement-breakpoint
DROP INDEX `device_credentials_fingerprint`;--> statement-breakpoint
ALTER TABLE `device_credentials` DROP COLUMN `identity`;--> statement-breakpoint
DROP INDEX `mqtt_clients_username`;--> statement-breakpoint
DROP INDEX `mqtt_clients_fingerprint`;