CREATE TABLE __drizzle_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, hash text NOT NULL, created_at numeric);
CREATE TABLE `accounts` (
	`account_id` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`password_hash` text NOT NULL,
	`must_change_password` integer DEFAULT false NOT NULL,
	`totp_sealed` text,
	`totp_pending_sealed` text,
	`totp_last_step` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
CREATE UNIQUE INDEX `accounts_email_unique` ON `accounts` (`email`);
CREATE TABLE `known_clients` (
	`account_id` text NOT NULL,
	`client` text NOT NULL,
	`last_used_at` integer NOT NULL,
	PRIMARY KEY(`account_id`, `client`),
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`account_id`) ON UPDATE no action ON DELETE cascade
);
CREATE INDEX `known_clients_last_used` ON `known_clients` (`last_used_at`);
CREATE TABLE `occurrences` (
	`subject` text NOT NULL,
	`at` integer NOT NULL
);
CREATE INDEX `occurrences_subject` ON `occurrences` (`subject`,`at`);
CREATE INDEX `occurrences_at` ON `occurrences` (`at`);
CREATE TABLE `recovery_codes` (
	`account_id` text NOT NULL,
	`code_hash` text NOT NULL,
	PRIMARY KEY(`account_id`, `code_hash`),
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`account_id`) ON UPDATE no action ON DELETE cascade
);
CREATE TABLE `sign_in_codes` (
	`code_hash` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`redirect_uri` text,
	`code_challenge` text,
	`expires_at` integer NOT NULL
);
CREATE TABLE `sign_up_passwords` (
	`email` text PRIMARY KEY NOT NULL,
	`password_hash` text NOT NULL,
	`kept_until` integer NOT NULL
);
CREATE INDEX `sign_up_passwords_kept_until` ON `sign_up_passwords` (`kept_until`);
CREATE TABLE `throttles` (
	`subject` text PRIMARY KEY NOT NULL,
	`recovers_at` integer NOT NULL
);
CREATE INDEX `throttles_recovers` ON `throttles` (`recovers_at`);
CREATE TABLE `tickets` (
	`secret_hash` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`purpose` text NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`account_id`) ON UPDATE no action ON DELETE cascade
);
CREATE TABLE __inventory (id INTEGER PRIMARY KEY CHECK (id = 1), gateway TEXT NOT NULL, generation INTEGER NOT NULL, keys TEXT NOT NULL);
INSERT INTO "__drizzle_migrations" VALUES (1, 'dec091135f8ad1fcf9368f03ba090281d01c36d36208f30e34f20d2ad2d261da', 1796014530693);
INSERT INTO "accounts" VALUES ('01a22bb8-ed43-7243-8559-7787a30e9981', 'user1@one.example', '$argon2id$v=19$m=19456,t=2,p=1$A1c7R0uG0/yD3yKs/516bM3jmK+rs7hSX3EwBBthSw4$nuFOtklPzbe2rQgGcvcLrNAaQfr87IQot4961gHeRtU', 0, NULL, NULL, 0, 1796029869379, 1796029869379);
INSERT INTO "__inventory" VALUES (1, '03184816d4cebe3e', 2, '{"storage.key":["8738d026b6ec0541"],"outbound.key":["0ecb40a50a6920dd"],"jwt.key":["ef69805ab8a6baa7"]}');
PRAGMA user_version=0;
