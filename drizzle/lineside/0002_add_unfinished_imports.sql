CREATE TABLE `unfinished_imports` (
	`import_id` text NOT NULL,
	`piece` integer NOT NULL,
	`device_ids` text NOT NULL,
	PRIMARY KEY(`import_id`, `piece`)
);
