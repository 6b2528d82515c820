CREATE TABLE `alarm_run` (
	`one` integer PRIMARY KEY NOT NULL,
	`running_until` integer NOT NULL,
	`stopped_ms` integer NOT NULL,
	`is_stopped` integer NOT NULL
);
