CREATE TABLE `alarm_commands` (
	`sequence` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`alarm_id` text NOT NULL,
	`request_id` text NOT NULL,
	`device_id` text NOT NULL,
	`method` text NOT NULL,
	`params` text NOT NULL,
	FOREIGN KEY (`alarm_id`) REFERENCES `alarms`(`alarm_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `alarm_escalation` (
	`tenant_id` text PRIMARY KEY NOT NULL,
	`level1_to2_minutes` integer NOT NULL,
	`level2_to3_minutes` integer NOT NULL,
	`stop_on_ack` integer NOT NULL,
	`stop_on_clear` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `alarm_events` (
	`sequence` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`event_id` text NOT NULL,
	`alarm_id` text NOT NULL,
	`tenant_id` text NOT NULL,
	`event_type` text NOT NULL,
	`code` text NOT NULL,
	`params` text NOT NULL,
	`by` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`alarm_id`) REFERENCES `alarms`(`alarm_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `alarm_events_alarm` ON `alarm_events` (`alarm_id`,`sequence`);--> statement-breakpoint
CREATE INDEX `alarm_events_counted` ON `alarm_events` (`tenant_id`,`created_at`,`sequence`) WHERE event_type IN ('CREATED', 'REOPENED', 'ACK');--> statement-breakpoint
CREATE INDEX `alarm_events_tenant` ON `alarm_events` (`tenant_id`,`sequence`);--> statement-breakpoint
CREATE TABLE `alarm_run` (
	`one` integer PRIMARY KEY NOT NULL,
	`running_until` integer NOT NULL,
	`stopped_ms` integer NOT NULL,
	`is_stopped` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `alarm_states` (
	`device_id` text PRIMARY KEY NOT NULL,
	`state` text NOT NULL,
	`due_at` integer,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `alarm_states_due` ON `alarm_states` (`due_at`);--> statement-breakpoint
CREATE TABLE `alarm_trims` (
	`device_id` text PRIMARY KEY NOT NULL,
	`deleted_until` integer NOT NULL,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `alarms` (
	`sequence` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`alarm_id` text NOT NULL,
	`tenant_id` text NOT NULL,
	`device_id` text NOT NULL,
	`alarm_type` text NOT NULL,
	`profile_id` text DEFAULT '' NOT NULL,
	`severity` text NOT NULL,
	`status` text NOT NULL,
	`message` text NOT NULL,
	`message_parts` text,
	`created_at` integer NOT NULL,
	`raised_at` integer NOT NULL,
	`raise_count` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`acknowledged_at` integer,
	`acknowledged_by` text,
	`cleared_at` integer,
	`cleared_by` text,
	`gateway_id` text,
	`escalation_level` integer DEFAULT 1 NOT NULL,
	`escalation_since` integer,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `alarms_alarm_id_unique` ON `alarms` (`alarm_id`);--> statement-breakpoint
CREATE INDEX `alarms_tenant` ON `alarms` (`tenant_id`,`sequence`);--> statement-breakpoint
CREATE INDEX `alarms_device` ON `alarms` (`device_id`,`sequence`);--> statement-breakpoint
CREATE INDEX `alarms_rule` ON `alarms` (`profile_id`,`alarm_type`,`sequence`);--> statement-breakpoint
CREATE INDEX `alarms_standing` ON `alarms` (`tenant_id`,`sequence`) WHERE cleared_at IS NULL;--> statement-breakpoint
CREATE INDEX `alarms_unacknowledged` ON `alarms` (`tenant_id`,`sequence`) WHERE acknowledged_at IS NULL;--> statement-breakpoint
CREATE INDEX `alarms_gateway` ON `alarms` (`gateway_id`,`sequence`) WHERE gateway_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `alarms_escalating` ON `alarms` (`escalation_since`) WHERE escalation_since IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `alarms_open` ON `alarms` (`device_id`,`alarm_type`) WHERE cleared_at IS NULL;--> statement-breakpoint
CREATE TABLE `api_key_devices` (
	`api_key_id` text NOT NULL,
	`device_id` text NOT NULL,
	PRIMARY KEY(`api_key_id`, `device_id`),
	FOREIGN KEY (`api_key_id`) REFERENCES `api_keys`(`api_key_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `api_key_devices_device` ON `api_key_devices` (`device_id`);--> statement-breakpoint
CREATE TABLE `api_keys` (
	`api_key_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`secret_hash` text NOT NULL,
	`hint` text NOT NULL,
	`role` text NOT NULL,
	`has_global_device_access` integer NOT NULL,
	`created_by` text,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`last_used_at` integer,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_secret` ON `api_keys` (`secret_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_name` ON `api_keys` (`tenant_id`,`name`);--> statement-breakpoint
CREATE INDEX `api_keys_creator` ON `api_keys` (`created_by`);--> statement-breakpoint
CREATE TABLE `attribute_changes` (
	`change_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` text NOT NULL,
	`device_id` text NOT NULL,
	`scope` text NOT NULL,
	`key` text NOT NULL,
	`value` text,
	`at` integer NOT NULL,
	`source` text NOT NULL,
	`by` text,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `attribute_changes_device` ON `attribute_changes` (`device_id`,`change_id`);--> statement-breakpoint
CREATE INDEX `attribute_changes_tenant` ON `attribute_changes` (`tenant_id`,`change_id`);--> statement-breakpoint
CREATE TABLE `attributes` (
	`device_id` text NOT NULL,
	`scope` text NOT NULL,
	`key` text NOT NULL,
	`value` text NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`device_id`, `scope`, `key`),
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `attributes_key` ON `attributes` (`key`);--> statement-breakpoint
CREATE INDEX `attributes_dev_eui` ON `attributes` (`value`) WHERE key = 'integration.lorawan.dev_eui';--> statement-breakpoint
CREATE INDEX `attributes_external_id` ON `attributes` (`value`) WHERE key = 'integration.external_id';--> statement-breakpoint
CREATE TABLE `audit_entries` (
	`sequence` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`audit_id` text NOT NULL,
	`tenant_id` text,
	`at` integer NOT NULL,
	`actor_type` text NOT NULL,
	`actor_id` text,
	`actor_name` text NOT NULL,
	`impersonator_id` text,
	`impersonator_name` text,
	`action` text NOT NULL,
	`outcome` text NOT NULL,
	`share` text DEFAULT 'members' NOT NULL,
	`holder` text DEFAULT '' NOT NULL,
	`target_type` text,
	`target_id` text,
	`target_name` text,
	`address` text,
	`user_agent` text,
	`before` text,
	`after` text,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `audit_entries_audit_id_unique` ON `audit_entries` (`audit_id`);--> statement-breakpoint
CREATE INDEX `audit_entries_tenant` ON `audit_entries` (`tenant_id`,`sequence`);--> statement-breakpoint
CREATE INDEX `audit_entries_at` ON `audit_entries` (`at`);--> statement-breakpoint
CREATE INDEX `audit_entries_target` ON `audit_entries` (`tenant_id`,`target_id`);--> statement-breakpoint
CREATE INDEX `audit_entries_action` ON `audit_entries` (`tenant_id`,`action`);--> statement-breakpoint
CREATE INDEX `audit_entries_holder` ON `audit_entries` (`tenant_id`,`share`,`holder`,`sequence`);--> statement-breakpoint
CREATE TABLE `backup_runs` (
	`run_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`trigger` text NOT NULL,
	`state` text NOT NULL,
	`started_at` integer NOT NULL,
	`finished_at` integer,
	`snapshot_id` text,
	`bytes` integer,
	`added_bytes` integer,
	`opened_all` integer DEFAULT false NOT NULL,
	`error` text
);
--> statement-breakpoint
CREATE TABLE `bacnet_connections` (
	`connection_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`enabled` integer NOT NULL,
	`host` text NOT NULL,
	`port` integer NOT NULL,
	`timeout_ms` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`device_instance` integer NOT NULL,
	`network` integer,
	`mac` text,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `bacnet_connections_name` ON `bacnet_connections` (`tenant_id`,`name`);--> statement-breakpoint
CREATE TABLE `bacnet_units` (
	`bacnet_unit_id` text PRIMARY KEY NOT NULL,
	`connection_id` text NOT NULL,
	`device_id` text NOT NULL,
	`interval_ms` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`objects` text NOT NULL,
	FOREIGN KEY (`connection_id`) REFERENCES `bacnet_connections`(`connection_id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `bacnet_units_device` ON `bacnet_units` (`device_id`);--> statement-breakpoint
CREATE INDEX `bacnet_units_connection` ON `bacnet_units` (`connection_id`);--> statement-breakpoint
CREATE TABLE `codecs` (
	`codec_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`source` text NOT NULL,
	`functions` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `codecs_name` ON `codecs` (`tenant_id`,lower("name"));--> statement-breakpoint
CREATE TABLE `commands` (
	`rpc_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`command_id` text NOT NULL,
	`tenant_id` text NOT NULL,
	`device_id` text NOT NULL,
	`request_id` text NOT NULL,
	`method` text NOT NULL,
	`params` text NOT NULL,
	`status` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`retries` integer NOT NULL,
	`retry_interval_ms` integer NOT NULL,
	`timeout_ms` integer NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`sent_at` integer,
	`delivered_at` integer,
	`finished_at` integer,
	`due_at` integer,
	`response` text,
	`error` text,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `commands_command_id_unique` ON `commands` (`command_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `commands_request` ON `commands` (`device_id`,`request_id`);--> statement-breakpoint
CREATE INDEX `commands_device_status` ON `commands` (`device_id`,`status`);--> statement-breakpoint
CREATE INDEX `commands_due` ON `commands` (`due_at`);--> statement-breakpoint
CREATE INDEX `commands_finished` ON `commands` (`finished_at`);--> statement-breakpoint
CREATE TABLE `webhook_secrets` (
	`tenant_id` text PRIMARY KEY NOT NULL,
	`hash` text NOT NULL,
	`updated_at` integer NOT NULL,
	`old_hash` text,
	`old_until` integer,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `dashboard_choices` (
	`user_id` text NOT NULL,
	`dashboard_id` text NOT NULL,
	`is_favorite` integer NOT NULL,
	`is_start` integer NOT NULL,
	PRIMARY KEY(`user_id`, `dashboard_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`user_id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`dashboard_id`) REFERENCES `dashboards`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `dashboard_shares` (
	`share_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`dashboard_id` text NOT NULL,
	`token_hash` text NOT NULL,
	`token_sealed` text NOT NULL,
	`name` text NOT NULL,
	`device_id` text,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`rotation` text,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`dashboard_id`) REFERENCES `dashboards`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `dashboard_shares_token_hash_unique` ON `dashboard_shares` (`token_hash`);--> statement-breakpoint
CREATE INDEX `dashboard_shares_dashboard` ON `dashboard_shares` (`dashboard_id`);--> statement-breakpoint
CREATE TABLE `dashboard_versions` (
	`dashboard_id` text NOT NULL,
	`version` integer NOT NULL,
	`tenant_id` text NOT NULL,
	`saved_by` text NOT NULL,
	`saved_at` integer NOT NULL,
	`name` text NOT NULL,
	`widgets` integer NOT NULL,
	`bytes` integer NOT NULL,
	`content` text NOT NULL,
	PRIMARY KEY(`dashboard_id`, `version`),
	FOREIGN KEY (`dashboard_id`) REFERENCES `dashboards`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `dashboard_versions_tenant` ON `dashboard_versions` (`tenant_id`,`saved_at`);--> statement-breakpoint
CREATE TABLE `dashboards` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`type` text NOT NULL,
	`states` text NOT NULL,
	`layout` text NOT NULL,
	`widgets` text NOT NULL,
	`aliases` text NOT NULL,
	`time_window` text,
	`configuration` text,
	`settings` text,
	`tags` text DEFAULT '[]' NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`updated_by` text DEFAULT '' NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `dashboards_tenant` ON `dashboards` (`tenant_id`,`name`);--> statement-breakpoint
CREATE TABLE `demo_plants` (
	`tenant_id` text PRIMARY KEY NOT NULL,
	`is_running` integer NOT NULL,
	`parts` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `device_credentials` (
	`device_id` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`client_id` text,
	`username` text,
	`password_hash` text,
	`fingerprint` text,
	`valid_to` integer,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `deleted_devices` (
	`device_id` text PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE `device_activity` (
	`device_id` text PRIMARY KEY NOT NULL,
	`active` integer NOT NULL,
	`last_activity_at` integer,
	`last_connected_at` integer,
	`last_disconnected_at` integer,
	`inactivity_alarm_at` integer,
	`interval_ms` integer DEFAULT 0 NOT NULL,
	`observed_ms` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `device_type_defaults` (
	`tenant_id` text NOT NULL,
	`device_type` text NOT NULL,
	`target_dashboard_id` text,
	`target_state_id` text,
	PRIMARY KEY(`tenant_id`, `device_type`),
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `devices` (
	`device_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`profile_id` text NOT NULL,
	`name` text NOT NULL,
	`label` text DEFAULT '' NOT NULL,
	`device_type` text NOT NULL,
	`asset_id` text,
	`parent_device_id` text,
	`child_name` text,
	`role` text NOT NULL,
	`inactivity_timeout_ms` integer,
	`target_dashboard_id` text,
	`target_state_id` text,
	`command_transport` text,
	`tags` text NOT NULL,
	`token_hash` text NOT NULL,
	`token_sealed` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`profile_id`) REFERENCES `device_profiles`(`profile_id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`parent_device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE UNIQUE INDEX `devices_token` ON `devices` (`token_hash`);--> statement-breakpoint
CREATE INDEX `devices_name` ON `devices` (`tenant_id`,`name`);--> statement-breakpoint
CREATE INDEX `devices_type` ON `devices` (`tenant_id`,`device_type`);--> statement-breakpoint
CREATE UNIQUE INDEX `devices_child` ON `devices` (`parent_device_id`,`child_name`);--> statement-breakpoint
CREATE INDEX `devices_profile` ON `devices` (`profile_id`);--> statement-breakpoint
CREATE INDEX `devices_asset` ON `devices` (`tenant_id`,`asset_id`);--> statement-breakpoint
CREATE TABLE `unfinished_imports` (
	`import_id` text NOT NULL,
	`piece` integer NOT NULL,
	`device_ids` text NOT NULL,
	PRIMARY KEY(`import_id`, `piece`)
);
--> statement-breakpoint
CREATE TABLE `integration_downlinks` (
	`sequence` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`downlink_id` text NOT NULL,
	`tenant_id` text NOT NULL,
	`integration_id` text NOT NULL,
	`device_id` text,
	`device_key` text NOT NULL,
	`command_rpc_id` integer,
	`f_port` integer,
	`confirmed` integer NOT NULL,
	`priority` text,
	`payload` text NOT NULL,
	`state` text NOT NULL,
	`network_id` text,
	`attempts` integer NOT NULL,
	`error` text,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`next_attempt_at` integer NOT NULL,
	`changed_at` integer NOT NULL,
	FOREIGN KEY (`integration_id`) REFERENCES `integrations`(`integration_id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `integration_downlinks_downlink_id_unique` ON `integration_downlinks` (`downlink_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `integration_downlinks_command_rpc_id_unique` ON `integration_downlinks` (`command_rpc_id`);--> statement-breakpoint
CREATE INDEX `integration_downlinks_queued` ON `integration_downlinks` (`integration_id`,`device_key`,`sequence`) WHERE state = 'QUEUED';--> statement-breakpoint
CREATE INDEX `integration_downlinks_device` ON `integration_downlinks` (`integration_id`,`device_key`,`sequence`);--> statement-breakpoint
CREATE INDEX `integration_downlinks_network` ON `integration_downlinks` (`integration_id`,`network_id`);--> statement-breakpoint
CREATE INDEX `integration_downlinks_of_device` ON `integration_downlinks` (`device_id`);--> statement-breakpoint
CREATE INDEX `integration_downlinks_changed` ON `integration_downlinks` (`changed_at`);--> statement-breakpoint
CREATE TABLE `integration_routes` (
	`tenant_id` text NOT NULL,
	`device_key` text NOT NULL,
	`integration_id` text NOT NULL,
	`application_id` text,
	`network_device_id` text,
	`topic_application` text,
	`push_url` text,
	PRIMARY KEY(`tenant_id`, `device_key`),
	FOREIGN KEY (`integration_id`) REFERENCES `integrations`(`integration_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `integration_routes_integration` ON `integration_routes` (`integration_id`);--> statement-breakpoint
CREATE TABLE `faults` (
	`fault_id` text PRIMARY KEY NOT NULL,
	`source` text NOT NULL,
	`code` text NOT NULL,
	`params` text NOT NULL,
	`tenant_id` text,
	`subject_kind` text,
	`subject_id` text,
	`subject_name` text,
	`identity_kind` text,
	`identity_name` text,
	`where` text,
	`sample` text,
	`address` text,
	`protocol` text,
	`port` integer,
	`client` text,
	`first_at` integer NOT NULL,
	`last_at` integer NOT NULL,
	`count` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `rule_chains` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`enabled` integer NOT NULL,
	`status` text NOT NULL,
	`config` text NOT NULL,
	`virtual_device_id` text,
	`last_error` text,
	`last_error_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `rule_chains_tenant` ON `rule_chains` (`tenant_id`,`name`);--> statement-breakpoint
CREATE TABLE `held_readings` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`device_id` text NOT NULL,
	`due_at` integer NOT NULL,
	`readings` text NOT NULL,
	`received_at` integer NOT NULL,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `held_readings_device` ON `held_readings` (`device_id`,`seq`);--> statement-breakpoint
CREATE INDEX `held_readings_due` ON `held_readings` (`due_at`);--> statement-breakpoint
CREATE TABLE `integration_announcements` (
	`integration_id` text NOT NULL,
	`topic` text NOT NULL,
	`source` text NOT NULL,
	`body` blob NOT NULL,
	PRIMARY KEY(`integration_id`, `topic`),
	FOREIGN KEY (`integration_id`) REFERENCES `integrations`(`integration_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `integration_event_groups` (
	`group_id` integer PRIMARY KEY NOT NULL,
	`events` text NOT NULL,
	`payloads` blob NOT NULL
);
--> statement-breakpoint
CREATE TABLE `integration_events` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`event_id` text NOT NULL,
	`integration_id` text NOT NULL,
	`direction` text NOT NULL,
	`status` text NOT NULL,
	`stage` text NOT NULL,
	`text` text NOT NULL,
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
CREATE TABLE `integration_profiles` (
	`profile_id` text PRIMARY KEY NOT NULL,
	`integration_id` text NOT NULL,
	FOREIGN KEY (`profile_id`) REFERENCES `device_profiles`(`profile_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
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
CREATE TABLE `mails` (
	`mail_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text,
	`recipient` text NOT NULL,
	`language` text NOT NULL,
	`template` text NOT NULL,
	`is_alarm` integer DEFAULT false NOT NULL,
	`values_sealed` text NOT NULL,
	`state` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` integer NOT NULL,
	`last_error` text,
	`secret_until` integer,
	`created_at` integer NOT NULL,
	`sent_at` integer,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `mails_tenant` ON `mails` (`tenant_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `mails_due` ON `mails` (`state`,`is_alarm`,`tenant_id`,`next_attempt_at`);--> statement-breakpoint
CREATE INDEX `mails_secret` ON `mails` (`secret_until`);--> statement-breakpoint
CREATE TABLE `device_maintenance` (
	`device_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`since` integer NOT NULL,
	`until` integer NOT NULL,
	`reason` text NOT NULL,
	`by` text NOT NULL,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `modbus_connections` (
	`connection_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`enabled` integer NOT NULL,
	`host` text NOT NULL,
	`port` integer NOT NULL,
	`timeout_ms` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`framing` text NOT NULL,
	`serial` text,
	`pause_ms` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `modbus_connections_name` ON `modbus_connections` (`tenant_id`,`name`);--> statement-breakpoint
CREATE TABLE `modbus_units` (
	`modbus_unit_id` text PRIMARY KEY NOT NULL,
	`connection_id` text NOT NULL,
	`device_id` text NOT NULL,
	`interval_ms` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`unit_id` integer NOT NULL,
	`words_max` integer NOT NULL,
	`gap_max` integer NOT NULL,
	`registers` text NOT NULL,
	FOREIGN KEY (`connection_id`) REFERENCES `modbus_connections`(`connection_id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `modbus_units_device` ON `modbus_units` (`device_id`);--> statement-breakpoint
CREATE INDEX `modbus_units_connection` ON `modbus_units` (`connection_id`,`unit_id`);--> statement-breakpoint
CREATE TABLE `mqtt_clients` (
	`mqtt_client_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`sign_in` text NOT NULL,
	`username` text,
	`password_hash` text,
	`fingerprint` text,
	`valid_to` integer,
	`api_key_id` text,
	`publish` text NOT NULL,
	`subscribe` text NOT NULL,
	`enabled` integer NOT NULL,
	`messages_per_second` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`api_key_id`) REFERENCES `api_keys`(`api_key_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `mqtt_clients_name` ON `mqtt_clients` (`tenant_id`,`name`);--> statement-breakpoint
CREATE UNIQUE INDEX `mqtt_clients_api_key` ON `mqtt_clients` (`api_key_id`);--> statement-breakpoint
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
CREATE INDEX `device_notes_tenant` ON `device_notes` (`tenant_id`,`at`);--> statement-breakpoint
CREATE TABLE `messengers` (
	`messenger_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`is_enabled` integer NOT NULL,
	`rule_scope` text NOT NULL,
	`language` text NOT NULL,
	`severities` text NOT NULL,
	`triggers` text NOT NULL,
	`fields` text NOT NULL,
	`target` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `messengers_tenant` ON `messengers` (`tenant_id`);--> statement-breakpoint
CREATE TABLE `notification_flows` (
	`recipient_id` text NOT NULL,
	`channel` text NOT NULL,
	`ends_at` integer NOT NULL,
	`sent` integer NOT NULL,
	`gathered` text,
	PRIMARY KEY(`recipient_id`, `channel`)
);
--> statement-breakpoint
CREATE INDEX `notification_flows_end` ON `notification_flows` (`ends_at`);--> statement-breakpoint
CREATE TABLE `notification_notices` (
	`sequence` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` text NOT NULL,
	`alarm_id` text NOT NULL,
	`device_id` text NOT NULL,
	`trigger` text NOT NULL,
	`severity` text NOT NULL,
	`former_severity` text,
	`level` integer NOT NULL,
	`alarm_type` text NOT NULL,
	`message` text NOT NULL,
	`message_parts` text,
	`cause` text,
	`at` integer NOT NULL,
	`notified_up_to` text DEFAULT '' NOT NULL,
	FOREIGN KEY (`alarm_id`) REFERENCES `alarms`(`alarm_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `notification_notices_alarm` ON `notification_notices` (`alarm_id`);--> statement-breakpoint
CREATE TABLE `notification_settings` (
	`tenant_id` text PRIMARY KEY NOT NULL,
	`language` text NOT NULL,
	`timezone` text NOT NULL,
	`digest_after` integer NOT NULL,
	`digest_minutes` integer NOT NULL,
	`messaging` text,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `opcua_connections` (
	`connection_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`enabled` integer NOT NULL,
	`host` text NOT NULL,
	`port` integer NOT NULL,
	`timeout_ms` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`path` text NOT NULL,
	`security_mode` text NOT NULL,
	`security_policy` text NOT NULL,
	`accepted_fingerprint` text,
	`sign_in` text NOT NULL,
	`user_name` text,
	`password_sealed` text,
	`stores_uncertain` integer NOT NULL,
	`reading` text DEFAULT 'POLLING' NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `opcua_connections_name` ON `opcua_connections` (`tenant_id`,`name`);--> statement-breakpoint
CREATE TABLE `opcua_units` (
	`opcua_unit_id` text PRIMARY KEY NOT NULL,
	`connection_id` text NOT NULL,
	`device_id` text NOT NULL,
	`interval_ms` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`deadband` real,
	`items` text NOT NULL,
	FOREIGN KEY (`connection_id`) REFERENCES `opcua_connections`(`connection_id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `opcua_units_device` ON `opcua_units` (`device_id`);--> statement-breakpoint
CREATE INDEX `opcua_units_connection` ON `opcua_units` (`connection_id`);--> statement-breakpoint
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
	`tenant_id` text NOT NULL,
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
CREATE INDEX `outbound_requests_waiting` ON `outbound_requests` (`target_id`,`seq`) WHERE state = 'WAITING';--> statement-breakpoint
CREATE INDEX `outbound_requests_dead` ON `outbound_requests` (`tenant_id`,`died_at`,`bytes`) WHERE state = 'DEAD';--> statement-breakpoint
CREATE UNIQUE INDEX `outbound_requests_dedupe` ON `outbound_requests` (`target_id`,`dedupe_key`) WHERE dedupe_key IS NOT NULL;--> statement-breakpoint
CREATE TABLE `outbound_targets` (
	`target_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`source_kind` text NOT NULL,
	`source_id` text NOT NULL,
	`url` text NOT NULL,
	`url_sealed` text,
	`method` text NOT NULL,
	`headers` text NOT NULL,
	`timeout_ms` integer NOT NULL,
	`secret_sealed` text,
	`fingerprint` text NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `outbound_targets_fingerprint` ON `outbound_targets` (`fingerprint`);--> statement-breakpoint
CREATE INDEX `outbound_targets_source` ON `outbound_targets` (`tenant_id`,`source_kind`,`source_id`);--> statement-breakpoint
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
CREATE INDEX `data_pipelines_tenant` ON `data_pipelines` (`tenant_id`,`order`);--> statement-breakpoint
CREATE TABLE `device_profiles` (
	`profile_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`is_default` integer DEFAULT false NOT NULL,
	`alarm_rules` text NOT NULL,
	`inactivity_timeout_ms` integer,
	`retention_days` integer,
	`telemetry_topic` text,
	`payload` text NOT NULL,
	`command_timeout_ms` integer NOT NULL,
	`creates_children` integer DEFAULT true NOT NULL,
	`sessions_max` integer DEFAULT 1 NOT NULL,
	`sessions_when_full` text DEFAULT 'REPLACE' NOT NULL,
	`messages_per_second` integer,
	`messages_burst` integer,
	`converts_numeric_text` integer DEFAULT false NOT NULL,
	`device_requests` text DEFAULT '[]' NOT NULL,
	`commands` text DEFAULT '[]' NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `device_profiles_name` ON `device_profiles` (`tenant_id`,`name`);--> statement-breakpoint
CREATE TABLE `profile_keys` (
	`profile_id` text PRIMARY KEY NOT NULL,
	`metadata` text NOT NULL,
	FOREIGN KEY (`profile_id`) REFERENCES `device_profiles`(`profile_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `tenant_keys` (
	`tenant_id` text PRIMARY KEY NOT NULL,
	`metadata` text NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `claimable_devices` (
	`device_id` text PRIMARY KEY NOT NULL,
	`secret_hash` text NOT NULL,
	`opened_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`claimed_at` integer,
	`owner_id` text,
	`owner_name` text,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `device_claims` (
	`device_id` text PRIMARY KEY NOT NULL,
	`claimed_at` integer NOT NULL,
	`address` text NOT NULL,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `profile_provisioning` (
	`profile_id` text PRIMARY KEY NOT NULL,
	`mode` text NOT NULL,
	`key` text NOT NULL,
	`secret_sealed` text NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`profile_id`) REFERENCES `device_profiles`(`profile_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `profile_provisioning_key` ON `profile_provisioning` (`key`);--> statement-breakpoint
CREATE TABLE `s7_connections` (
	`connection_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`enabled` integer NOT NULL,
	`host` text NOT NULL,
	`port` integer NOT NULL,
	`timeout_ms` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`rack` integer NOT NULL,
	`slot` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `s7_connections_name` ON `s7_connections` (`tenant_id`,`name`);--> statement-breakpoint
CREATE TABLE `s7_units` (
	`s7_unit_id` text PRIMARY KEY NOT NULL,
	`connection_id` text NOT NULL,
	`device_id` text NOT NULL,
	`interval_ms` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`tags` text NOT NULL,
	FOREIGN KEY (`connection_id`) REFERENCES `s7_connections`(`connection_id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `s7_units_device` ON `s7_units` (`device_id`);--> statement-breakpoint
CREATE INDEX `s7_units_connection` ON `s7_units` (`connection_id`);--> statement-breakpoint
CREATE TABLE `scheduler_jobs` (
	`job_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`enabled` integer NOT NULL,
	`schedule` text NOT NULL,
	`action` text NOT NULL,
	`misfire` text NOT NULL,
	`next_run_at` integer,
	`last_run_at` integer,
	`last_status` text,
	`lease_owner` text,
	`lease_until` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `scheduler_jobs_tenant` ON `scheduler_jobs` (`tenant_id`,`name`);--> statement-breakpoint
CREATE INDEX `scheduler_jobs_due` ON `scheduler_jobs` (`next_run_at`);--> statement-breakpoint
CREATE TABLE `scheduler_runs` (
	`sequence` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`run_id` text NOT NULL,
	`job_id` text NOT NULL,
	`scheduled_for` integer NOT NULL,
	`trigger` text NOT NULL,
	`started_at` integer NOT NULL,
	`finished_at` integer,
	`status` text NOT NULL,
	`error` text,
	`missed` integer DEFAULT 0 NOT NULL,
	`target_count` integer DEFAULT 0 NOT NULL,
	`failed_count` integer DEFAULT 0 NOT NULL,
	`attempts` integer NOT NULL,
	`lease_owner` text,
	`lease_until` integer,
	FOREIGN KEY (`job_id`) REFERENCES `scheduler_jobs`(`job_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `scheduler_runs_run_id_unique` ON `scheduler_runs` (`run_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `scheduler_runs_time` ON `scheduler_runs` (`job_id`,`scheduled_for`);--> statement-breakpoint
CREATE INDEX `scheduler_runs_job` ON `scheduler_runs` (`job_id`,`sequence`);--> statement-breakpoint
CREATE INDEX `scheduler_runs_status` ON `scheduler_runs` (`status`);--> statement-breakpoint
CREATE TABLE `scheduler_targets` (
	`run_id` text NOT NULL,
	`device_id` text NOT NULL,
	`name` text,
	`status` text NOT NULL,
	`error` text,
	`command_id` text,
	PRIMARY KEY(`run_id`, `device_id`),
	FOREIGN KEY (`run_id`) REFERENCES `scheduler_runs`(`run_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `gateway_settings` (
	`name` text PRIMARY KEY NOT NULL,
	`value_sealed` text NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `tenant_attributes` (
	`tenant_id` text NOT NULL,
	`key` text NOT NULL,
	`value` text NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `key`),
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `tenants` (
	`tenant_id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`plan_name` text NOT NULL,
	`is_host` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `uplink_device_changes` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` text NOT NULL,
	`device_id` text NOT NULL,
	`change` text NOT NULL,
	`name` text NOT NULL,
	`device_type` text NOT NULL,
	`at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `uplink_device_changes_tenant` ON `uplink_device_changes` (`tenant_id`,`seq`);--> statement-breakpoint
CREATE TABLE `uplinks` (
	`uplink_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`enabled` integer NOT NULL,
	`target` text NOT NULL,
	`secrets` text,
	`options` text NOT NULL,
	`cursor` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `uplinks_tenant` ON `uplinks` (`tenant_id`,`name`);--> statement-breakpoint
CREATE TABLE `user_assets` (
	`user_id` text NOT NULL,
	`asset_id` text NOT NULL,
	PRIMARY KEY(`user_id`, `asset_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`user_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `user_devices` (
	`user_id` text NOT NULL,
	`device_id` text NOT NULL,
	PRIMARY KEY(`user_id`, `device_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`user_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `user_devices_device` ON `user_devices` (`device_id`);--> statement-breakpoint
CREATE TABLE `users` (
	`user_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text,
	`email` text NOT NULL,
	`full_name` text DEFAULT '' NOT NULL,
	`role` text NOT NULL,
	`status` text NOT NULL,
	`can_acknowledge_alarms` integer DEFAULT false NOT NULL,
	`has_global_device_access` integer DEFAULT true NOT NULL,
	`has_global_asset_access` integer DEFAULT false NOT NULL,
	`notifications_email_enabled` integer DEFAULT true NOT NULL,
	`notifications_messaging_enabled` integer DEFAULT false NOT NULL,
	`notification_phone` text DEFAULT '' NOT NULL,
	`notification_escalation_level` integer DEFAULT 1 NOT NULL,
	`notification_severities` text DEFAULT '["WARNING","MINOR","MAJOR","CRITICAL"]' NOT NULL,
	`notify_on_alarm_created` integer DEFAULT true NOT NULL,
	`notify_on_alarm_escalated` integer DEFAULT true NOT NULL,
	`notify_on_alarm_cleared` integer DEFAULT false NOT NULL,
	`invite_delivery` text DEFAULT 'MANUAL' NOT NULL,
	`confirmed_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_email_unique` ON `users` (`email`);--> statement-breakpoint
CREATE INDEX `users_tenant` ON `users` (`tenant_id`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`session_id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`impersonator_id` text,
	`impersonator_session_id` text,
	`address` text DEFAULT '' NOT NULL,
	`user_agent` text DEFAULT '' NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer DEFAULT 0 NOT NULL,
	`expires_at` integer NOT NULL,
	`generation` integer DEFAULT 0 NOT NULL,
	`renewed_at` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`user_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `sessions_user` ON `sessions` (`user_id`);--> statement-breakpoint
CREATE INDEX `sessions_impersonator` ON `sessions` (`impersonator_session_id`);--> statement-breakpoint
CREATE TABLE `setup_links` (
	`secret_hash` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `sign_ups` (
	`email` text PRIMARY KEY NOT NULL,
	`full_name` text NOT NULL,
	`plan_id` text NOT NULL,
	`code_hash` text NOT NULL,
	`code_expires_at` integer NOT NULL,
	`tries_left` integer NOT NULL,
	`confirmed_at` integer
);
--> statement-breakpoint
CREATE TRIGGER `devices_deleted` AFTER DELETE ON `devices` BEGIN INSERT OR IGNORE INTO `deleted_devices` VALUES (old.`device_id`); END;
