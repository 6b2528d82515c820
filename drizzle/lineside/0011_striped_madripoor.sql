CREATE TABLE `data_pipeline_versions` (
	`pipeline_id` text NOT NULL,
	`version` integer NOT NULL,
	`scope` text NOT NULL,
	`steps` text NOT NULL,
	`by` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`pipeline_id`, `version`),
	FOREIGN KEY (`pipeline_id`) REFERENCES `data_pipelines`(`pipeline_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `data_pipelines` (
	`pipeline_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`status` text NOT NULL,
	`order` integer NOT NULL,
	`scope` text NOT NULL,
	`steps` text NOT NULL,
	`version` integer NOT NULL,
	`messages_in` integer NOT NULL,
	`messages_out` integer NOT NULL,
	`messages_dropped` integer NOT NULL,
	`errors` integer NOT NULL,
	`last_error` text,
	`last_error_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `data_pipelines_tenant` ON `data_pipelines` (`tenant_id`,`order`);