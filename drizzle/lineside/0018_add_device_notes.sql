CREATE TABLE `device_notes` (
	`note_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`device_id` text NOT NULL,
	`text` text NOT NULL,
	`at` integer NOT NULL,
	`until` integer,
	`by` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `device_notes_device` ON `device_notes` (`device_id`,`at`);--> statement-breakpoint
CREATE INDEX `device_notes_tenant` ON `device_notes` (`tenant_id`,`at`);