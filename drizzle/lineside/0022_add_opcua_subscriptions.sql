ALTER TABLE `opcua_connections` ADD `reading` text DEFAULT 'POLLING' NOT NULL;--> statement-breakpoint
ALTER TABLE `opcua_units` ADD `deadband` real;