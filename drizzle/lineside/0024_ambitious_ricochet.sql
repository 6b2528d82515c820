CREATE TABLE `demo_plants` (
	`tenant_id` text PRIMARY KEY NOT NULL,
	`is_running` integer NOT NULL,
	`parts` text NOT NULL,
	`has_history` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
