CREATE TABLE `outbound_counts` (
	`tenant_id` text NOT NULL,
	`source_kind` text NOT NULL,
	`source_id` text NOT NULL,
	`sent` integer NOT NULL,
	`died` integer NOT NULL,
	`last_sent_at` integer,
	`last_error` text,
	`last_error_at` integer,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `outbound_counts_source` ON `outbound_counts` (`tenant_id`,`source_kind`,`source_id`);--> statement-breakpoint
CREATE TABLE `outbound_requests` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`target_id` text NOT NULL,
	`order_key` text NOT NULL,
	`content_type` text NOT NULL,
	`body` text NOT NULL,
	`bytes` integer NOT NULL,
	`state` text NOT NULL,
	`attempts` integer NOT NULL,
	`queued_at` integer NOT NULL,
	`due_at` integer NOT NULL,
	`tried_at` integer,
	`last_status` integer,
	`last_error` text,
	`created_at` integer NOT NULL,
	`died_at` integer,
	`dedupe_key` text,
	FOREIGN KEY (`target_id`) REFERENCES `outbound_targets`(`target_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `outbound_requests_lane` ON `outbound_requests` (`target_id`,`state`,`order_key`,`seq`);--> statement-breakpoint
CREATE INDEX `outbound_requests_dead` ON `outbound_requests` (`died_at`) WHERE state = 'DEAD';--> statement-breakpoint
CREATE UNIQUE INDEX `outbound_requests_dedupe` ON `outbound_requests` (`target_id`,`dedupe_key`) WHERE dedupe_key IS NOT NULL;--> statement-breakpoint
CREATE TABLE `outbound_targets` (
	`target_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`source_kind` text NOT NULL,
	`source_id` text NOT NULL,
	`url` text NOT NULL,
	`method` text NOT NULL,
	`headers` text NOT NULL,
	`timeout_ms` integer NOT NULL,
	`secret_sealed` text,
	`fingerprint` text NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `outbound_targets_fingerprint` ON `outbound_targets` (`fingerprint`);--> statement-breakpoint
CREATE INDEX `outbound_targets_source` ON `outbound_targets` (`tenant_id`,`source_kind`,`source_id`);