CREATE TABLE __drizzle_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, hash text NOT NULL, created_at numeric);
CREATE TABLE `alarm_commands` (
	`sequence` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`alarm_id` text NOT NULL,
	`request_id` text NOT NULL,
	`device_id` text NOT NULL,
	`method` text NOT NULL,
	`params` text NOT NULL,
	FOREIGN KEY (`alarm_id`) REFERENCES `alarms`(`alarm_id`) ON UPDATE no action ON DELETE cascade
);
CREATE TABLE `alarm_escalation` (
	`tenant_id` text PRIMARY KEY NOT NULL,
	`level1_to2_minutes` integer NOT NULL,
	`level2_to3_minutes` integer NOT NULL,
	`stop_on_ack` integer NOT NULL,
	`stop_on_clear` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
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
CREATE INDEX `alarm_events_alarm` ON `alarm_events` (`alarm_id`,`sequence`);
CREATE INDEX `alarm_events_counted` ON `alarm_events` (`tenant_id`,`created_at`,`sequence`) WHERE event_type IN ('CREATED', 'REOPENED', 'ACK');
CREATE INDEX `alarm_events_tenant` ON `alarm_events` (`tenant_id`,`sequence`);
CREATE TABLE `alarm_run` (
	`one` integer PRIMARY KEY NOT NULL,
	`running_until` integer NOT NULL,
	`stopped_ms` integer NOT NULL,
	`is_stopped` integer NOT NULL
);
CREATE TABLE `alarm_states` (
	`device_id` text PRIMARY KEY NOT NULL,
	`state` text NOT NULL,
	`due_at` integer,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE cascade
);
CREATE INDEX `alarm_states_due` ON `alarm_states` (`due_at`);
CREATE TABLE `alarm_trims` (
	`device_id` text PRIMARY KEY NOT NULL,
	`deleted_until` integer NOT NULL,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE cascade
);
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
CREATE UNIQUE INDEX `alarms_alarm_id_unique` ON `alarms` (`alarm_id`);
CREATE INDEX `alarms_tenant` ON `alarms` (`tenant_id`,`sequence`);
CREATE INDEX `alarms_device` ON `alarms` (`device_id`,`sequence`);
CREATE INDEX `alarms_rule` ON `alarms` (`profile_id`,`alarm_type`,`sequence`);
CREATE INDEX `alarms_standing` ON `alarms` (`tenant_id`,`sequence`) WHERE cleared_at IS NULL;
CREATE INDEX `alarms_unacknowledged` ON `alarms` (`tenant_id`,`sequence`) WHERE acknowledged_at IS NULL;
CREATE INDEX `alarms_gateway` ON `alarms` (`gateway_id`,`sequence`) WHERE gateway_id IS NOT NULL;
CREATE INDEX `alarms_escalating` ON `alarms` (`escalation_since`) WHERE escalation_since IS NOT NULL;
CREATE UNIQUE INDEX `alarms_open` ON `alarms` (`device_id`,`alarm_type`) WHERE cleared_at IS NULL;
CREATE TABLE `api_key_devices` (
	`api_key_id` text NOT NULL,
	`device_id` text NOT NULL,
	PRIMARY KEY(`api_key_id`, `device_id`),
	FOREIGN KEY (`api_key_id`) REFERENCES `api_keys`(`api_key_id`) ON UPDATE no action ON DELETE cascade
);
CREATE INDEX `api_key_devices_device` ON `api_key_devices` (`device_id`);
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
CREATE UNIQUE INDEX `api_keys_secret` ON `api_keys` (`secret_hash`);
CREATE UNIQUE INDEX `api_keys_name` ON `api_keys` (`tenant_id`,`name`);
CREATE INDEX `api_keys_creator` ON `api_keys` (`created_by`);
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
CREATE INDEX `attribute_changes_device` ON `attribute_changes` (`device_id`,`change_id`);
CREATE INDEX `attribute_changes_tenant` ON `attribute_changes` (`tenant_id`,`change_id`);
CREATE TABLE `attributes` (
	`device_id` text NOT NULL,
	`scope` text NOT NULL,
	`key` text NOT NULL,
	`value` text NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`device_id`, `scope`, `key`),
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE cascade
);
CREATE INDEX `attributes_key` ON `attributes` (`key`);
CREATE INDEX `attributes_dev_eui` ON `attributes` (`value`) WHERE key = 'integration.lorawan.dev_eui';
CREATE INDEX `attributes_external_id` ON `attributes` (`value`) WHERE key = 'integration.external_id';
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
CREATE UNIQUE INDEX `audit_entries_audit_id_unique` ON `audit_entries` (`audit_id`);
CREATE INDEX `audit_entries_tenant` ON `audit_entries` (`tenant_id`,`sequence`);
CREATE INDEX `audit_entries_at` ON `audit_entries` (`at`);
CREATE INDEX `audit_entries_target` ON `audit_entries` (`tenant_id`,`target_id`);
CREATE INDEX `audit_entries_action` ON `audit_entries` (`tenant_id`,`action`);
CREATE INDEX `audit_entries_holder` ON `audit_entries` (`tenant_id`,`share`,`holder`,`sequence`);
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
CREATE UNIQUE INDEX `bacnet_connections_name` ON `bacnet_connections` (`tenant_id`,`name`);
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
CREATE UNIQUE INDEX `bacnet_units_device` ON `bacnet_units` (`device_id`);
CREATE INDEX `bacnet_units_connection` ON `bacnet_units` (`connection_id`);
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
CREATE UNIQUE INDEX `codecs_name` ON `codecs` (`tenant_id`,lower("name"));
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
CREATE UNIQUE INDEX `commands_command_id_unique` ON `commands` (`command_id`);
CREATE UNIQUE INDEX `commands_request` ON `commands` (`device_id`,`request_id`);
CREATE INDEX `commands_device_status` ON `commands` (`device_id`,`status`);
CREATE INDEX `commands_due` ON `commands` (`due_at`);
CREATE INDEX `commands_finished` ON `commands` (`finished_at`);
CREATE TABLE `webhook_secrets` (
	`tenant_id` text PRIMARY KEY NOT NULL,
	`hash` text NOT NULL,
	`updated_at` integer NOT NULL,
	`old_hash` text,
	`old_until` integer,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
CREATE TABLE `dashboard_choices` (
	`user_id` text NOT NULL,
	`dashboard_id` text NOT NULL,
	`is_favorite` integer NOT NULL,
	`is_start` integer NOT NULL,
	PRIMARY KEY(`user_id`, `dashboard_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`user_id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`dashboard_id`) REFERENCES `dashboards`(`id`) ON UPDATE no action ON DELETE cascade
);
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
CREATE UNIQUE INDEX `dashboard_shares_token_hash_unique` ON `dashboard_shares` (`token_hash`);
CREATE INDEX `dashboard_shares_dashboard` ON `dashboard_shares` (`dashboard_id`);
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
CREATE INDEX `dashboard_versions_tenant` ON `dashboard_versions` (`tenant_id`,`saved_at`);
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
CREATE INDEX `dashboards_tenant` ON `dashboards` (`tenant_id`,`name`);
CREATE TABLE `demo_plants` (
	`tenant_id` text PRIMARY KEY NOT NULL,
	`is_running` integer NOT NULL,
	`parts` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
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
CREATE TABLE `deleted_devices` (
	`device_id` text PRIMARY KEY NOT NULL
);
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
CREATE TABLE `device_type_defaults` (
	`tenant_id` text NOT NULL,
	`device_type` text NOT NULL,
	`target_dashboard_id` text,
	`target_state_id` text,
	PRIMARY KEY(`tenant_id`, `device_type`),
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
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
CREATE UNIQUE INDEX `devices_token` ON `devices` (`token_hash`);
CREATE INDEX `devices_name` ON `devices` (`tenant_id`,`name`);
CREATE INDEX `devices_type` ON `devices` (`tenant_id`,`device_type`);
CREATE UNIQUE INDEX `devices_child` ON `devices` (`parent_device_id`,`child_name`);
CREATE INDEX `devices_profile` ON `devices` (`profile_id`);
CREATE INDEX `devices_asset` ON `devices` (`tenant_id`,`asset_id`);
CREATE TABLE `unfinished_imports` (
	`import_id` text NOT NULL,
	`piece` integer NOT NULL,
	`device_ids` text NOT NULL,
	PRIMARY KEY(`import_id`, `piece`)
);
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
CREATE UNIQUE INDEX `integration_downlinks_downlink_id_unique` ON `integration_downlinks` (`downlink_id`);
CREATE UNIQUE INDEX `integration_downlinks_command_rpc_id_unique` ON `integration_downlinks` (`command_rpc_id`);
CREATE INDEX `integration_downlinks_queued` ON `integration_downlinks` (`integration_id`,`device_key`,`sequence`) WHERE state = 'QUEUED';
CREATE INDEX `integration_downlinks_device` ON `integration_downlinks` (`integration_id`,`device_key`,`sequence`);
CREATE INDEX `integration_downlinks_network` ON `integration_downlinks` (`integration_id`,`network_id`);
CREATE INDEX `integration_downlinks_of_device` ON `integration_downlinks` (`device_id`);
CREATE INDEX `integration_downlinks_changed` ON `integration_downlinks` (`changed_at`);
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
CREATE INDEX `integration_routes_integration` ON `integration_routes` (`integration_id`);
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
CREATE INDEX `rule_chains_tenant` ON `rule_chains` (`tenant_id`,`name`);
CREATE TABLE `held_readings` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`device_id` text NOT NULL,
	`due_at` integer NOT NULL,
	`readings` text NOT NULL,
	`received_at` integer NOT NULL,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE cascade
);
CREATE INDEX `held_readings_device` ON `held_readings` (`device_id`,`seq`);
CREATE INDEX `held_readings_due` ON `held_readings` (`due_at`);
CREATE TABLE `integration_announcements` (
	`integration_id` text NOT NULL,
	`topic` text NOT NULL,
	`source` text NOT NULL,
	`body` blob NOT NULL,
	PRIMARY KEY(`integration_id`, `topic`),
	FOREIGN KEY (`integration_id`) REFERENCES `integrations`(`integration_id`) ON UPDATE no action ON DELETE cascade
);
CREATE TABLE `integration_event_groups` (
	`group_id` integer PRIMARY KEY NOT NULL,
	`events` text NOT NULL,
	`payloads` blob NOT NULL
);
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
CREATE UNIQUE INDEX `integration_events_id` ON `integration_events` (`event_id`);
CREATE INDEX `integration_events_newest` ON `integration_events` (`integration_id`,`status`,`seq`);
CREATE TABLE `integration_profiles` (
	`profile_id` text PRIMARY KEY NOT NULL,
	`integration_id` text NOT NULL,
	FOREIGN KEY (`profile_id`) REFERENCES `device_profiles`(`profile_id`) ON UPDATE no action ON DELETE cascade
);
CREATE TABLE `integration_seen` (
	`integration_id` text NOT NULL,
	`key` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`integration_id`, `key`),
	FOREIGN KEY (`integration_id`) REFERENCES `integrations`(`integration_id`) ON UPDATE no action ON DELETE cascade
);
CREATE INDEX `integration_seen_at` ON `integration_seen` (`at`);
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
CREATE INDEX `integrations_tenant` ON `integrations` (`tenant_id`,`type`);
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
CREATE UNIQUE INDEX `login_identities_in_tenant` ON `login_identities` (`kind`,`value`,`tenant_id`);
CREATE INDEX `login_identities_device` ON `login_identities` (`device_id`);
CREATE INDEX `login_identities_mqtt_client` ON `login_identities` (`mqtt_client_id`);
CREATE INDEX `login_identities_tenant` ON `login_identities` (`tenant_id`);
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
CREATE INDEX `mails_tenant` ON `mails` (`tenant_id`,`created_at`);
CREATE INDEX `mails_due` ON `mails` (`state`,`is_alarm`,`tenant_id`,`next_attempt_at`);
CREATE INDEX `mails_secret` ON `mails` (`secret_until`);
CREATE TABLE `device_maintenance` (
	`device_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`since` integer NOT NULL,
	`until` integer NOT NULL,
	`reason` text NOT NULL,
	`by` text NOT NULL,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE cascade
);
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
CREATE UNIQUE INDEX `modbus_connections_name` ON `modbus_connections` (`tenant_id`,`name`);
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
CREATE UNIQUE INDEX `modbus_units_device` ON `modbus_units` (`device_id`);
CREATE INDEX `modbus_units_connection` ON `modbus_units` (`connection_id`,`unit_id`);
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
CREATE UNIQUE INDEX `mqtt_clients_name` ON `mqtt_clients` (`tenant_id`,`name`);
CREATE UNIQUE INDEX `mqtt_clients_api_key` ON `mqtt_clients` (`api_key_id`);
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
CREATE INDEX `device_notes_device` ON `device_notes` (`device_id`,`at`);
CREATE INDEX `device_notes_tenant` ON `device_notes` (`tenant_id`,`at`);
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
CREATE INDEX `messengers_tenant` ON `messengers` (`tenant_id`);
CREATE TABLE `notification_flows` (
	`recipient_id` text NOT NULL,
	`channel` text NOT NULL,
	`ends_at` integer NOT NULL,
	`sent` integer NOT NULL,
	`gathered` text,
	PRIMARY KEY(`recipient_id`, `channel`)
);
CREATE INDEX `notification_flows_end` ON `notification_flows` (`ends_at`);
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
CREATE INDEX `notification_notices_alarm` ON `notification_notices` (`alarm_id`);
CREATE TABLE `notification_settings` (
	`tenant_id` text PRIMARY KEY NOT NULL,
	`language` text NOT NULL,
	`timezone` text NOT NULL,
	`digest_after` integer NOT NULL,
	`digest_minutes` integer NOT NULL,
	`messaging` text,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
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
CREATE UNIQUE INDEX `opcua_connections_name` ON `opcua_connections` (`tenant_id`,`name`);
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
CREATE UNIQUE INDEX `opcua_units_device` ON `opcua_units` (`device_id`);
CREATE INDEX `opcua_units_connection` ON `opcua_units` (`connection_id`);
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
CREATE UNIQUE INDEX `outbound_counts_source` ON `outbound_counts` (`tenant_id`,`source_kind`,`source_id`);
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
CREATE INDEX `outbound_requests_lane` ON `outbound_requests` (`target_id`,`state`,`order_key`,`seq`);
CREATE INDEX `outbound_requests_waiting` ON `outbound_requests` (`target_id`,`seq`) WHERE state = 'WAITING';
CREATE INDEX `outbound_requests_dead` ON `outbound_requests` (`tenant_id`,`died_at`,`bytes`) WHERE state = 'DEAD';
CREATE UNIQUE INDEX `outbound_requests_dedupe` ON `outbound_requests` (`target_id`,`dedupe_key`) WHERE dedupe_key IS NOT NULL;
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
CREATE UNIQUE INDEX `outbound_targets_fingerprint` ON `outbound_targets` (`fingerprint`);
CREATE INDEX `outbound_targets_source` ON `outbound_targets` (`tenant_id`,`source_kind`,`source_id`);
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
CREATE INDEX `data_pipelines_tenant` ON `data_pipelines` (`tenant_id`,`order`);
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
CREATE UNIQUE INDEX `device_profiles_name` ON `device_profiles` (`tenant_id`,`name`);
CREATE TABLE `profile_keys` (
	`profile_id` text PRIMARY KEY NOT NULL,
	`metadata` text NOT NULL,
	FOREIGN KEY (`profile_id`) REFERENCES `device_profiles`(`profile_id`) ON UPDATE no action ON DELETE cascade
);
CREATE TABLE `tenant_keys` (
	`tenant_id` text PRIMARY KEY NOT NULL,
	`metadata` text NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
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
CREATE TABLE `device_claims` (
	`device_id` text PRIMARY KEY NOT NULL,
	`claimed_at` integer NOT NULL,
	`address` text NOT NULL,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`device_id`) ON UPDATE no action ON DELETE cascade
);
CREATE TABLE `profile_provisioning` (
	`profile_id` text PRIMARY KEY NOT NULL,
	`mode` text NOT NULL,
	`key` text NOT NULL,
	`secret_sealed` text NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`profile_id`) REFERENCES `device_profiles`(`profile_id`) ON UPDATE no action ON DELETE cascade
);
CREATE UNIQUE INDEX `profile_provisioning_key` ON `profile_provisioning` (`key`);
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
CREATE UNIQUE INDEX `s7_connections_name` ON `s7_connections` (`tenant_id`,`name`);
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
CREATE UNIQUE INDEX `s7_units_device` ON `s7_units` (`device_id`);
CREATE INDEX `s7_units_connection` ON `s7_units` (`connection_id`);
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
CREATE INDEX `scheduler_jobs_tenant` ON `scheduler_jobs` (`tenant_id`,`name`);
CREATE INDEX `scheduler_jobs_due` ON `scheduler_jobs` (`next_run_at`);
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
CREATE UNIQUE INDEX `scheduler_runs_run_id_unique` ON `scheduler_runs` (`run_id`);
CREATE UNIQUE INDEX `scheduler_runs_time` ON `scheduler_runs` (`job_id`,`scheduled_for`);
CREATE INDEX `scheduler_runs_job` ON `scheduler_runs` (`job_id`,`sequence`);
CREATE INDEX `scheduler_runs_status` ON `scheduler_runs` (`status`);
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
CREATE TABLE `gateway_settings` (
	`name` text PRIMARY KEY NOT NULL,
	`value_sealed` text NOT NULL,
	`updated_at` integer NOT NULL
);
CREATE TABLE `tenant_attributes` (
	`tenant_id` text NOT NULL,
	`key` text NOT NULL,
	`value` text NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `key`),
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`tenant_id`) ON UPDATE no action ON DELETE cascade
);
CREATE TABLE `tenants` (
	`tenant_id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`plan_name` text NOT NULL,
	`is_host` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
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
CREATE INDEX `uplink_device_changes_tenant` ON `uplink_device_changes` (`tenant_id`,`seq`);
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
CREATE INDEX `uplinks_tenant` ON `uplinks` (`tenant_id`,`name`);
CREATE TABLE `user_assets` (
	`user_id` text NOT NULL,
	`asset_id` text NOT NULL,
	PRIMARY KEY(`user_id`, `asset_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`user_id`) ON UPDATE no action ON DELETE cascade
);
CREATE TABLE `user_devices` (
	`user_id` text NOT NULL,
	`device_id` text NOT NULL,
	PRIMARY KEY(`user_id`, `device_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`user_id`) ON UPDATE no action ON DELETE cascade
);
CREATE INDEX `user_devices_device` ON `user_devices` (`device_id`);
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
CREATE UNIQUE INDEX `users_email_unique` ON `users` (`email`);
CREATE INDEX `users_tenant` ON `users` (`tenant_id`);
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
CREATE INDEX `sessions_user` ON `sessions` (`user_id`);
CREATE INDEX `sessions_impersonator` ON `sessions` (`impersonator_session_id`);
CREATE TABLE `setup_links` (
	`secret_hash` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
);
CREATE TABLE `sign_ups` (
	`email` text PRIMARY KEY NOT NULL,
	`full_name` text NOT NULL,
	`plan_id` text NOT NULL,
	`code_hash` text NOT NULL,
	`code_expires_at` integer NOT NULL,
	`tries_left` integer NOT NULL,
	`confirmed_at` integer
);
CREATE TRIGGER `devices_deleted` AFTER DELETE ON `devices` BEGIN INSERT OR IGNORE INTO `deleted_devices` VALUES (old.`device_id`); END;
CREATE TABLE __inventory (id INTEGER PRIMARY KEY CHECK (id = 1), gateway TEXT NOT NULL, generation INTEGER NOT NULL, keys TEXT NOT NULL);
INSERT INTO "__drizzle_migrations" VALUES (1, '74fe8fdcfbbf9450d95196ebb9f6a6231807798a13534f9ace3296f22eb43e15', 1796029858873);
INSERT INTO "alarm_run" VALUES (1, 1796029869852, 0, 1);
INSERT INTO "attribute_changes" VALUES (1, '01a22bb8-ed16-7202-bc54-907d1d133ec2', '01a22bb8-ed61-73b7-a2d0-d7780cead845', 'SERVER', 'line', '"A"', 1796029869827, 'USER', 'user1@one.example');
INSERT INTO "attributes" VALUES ('01a22bb8-ed61-73b7-a2d0-d7780cead845', 'SERVER', 'line', '"A"', 1796029869827);
INSERT INTO "audit_entries" VALUES (1, '01a22bb8-ed47-7459-935e-036d90d26b83', '01a22bb8-ed16-7202-bc54-907d1d133ec2', 1796029869383, 'USER', '01a22bb8-ed18-771a-8520-934f4b3f4850', 'user1@one.example', NULL, NULL, 'session.start', 'SUCCESS', 'owners', '01a22bb8-ed18-771a-8520-934f4b3f4850', 'session', '01a22bb8-ed45-73e9-8341-64d4d3c923d4', NULL, 'local', '', NULL, NULL);
INSERT INTO "audit_entries" VALUES (2, '01a22bb8-ed67-71bb-b749-65790e2ae238', '01a22bb8-ed16-7202-bc54-907d1d133ec2', 1796029869416, 'USER', '01a22bb8-ed18-771a-8520-934f4b3f4850', 'user1@one.example', NULL, NULL, 'device.create', 'SUCCESS', 'owners', '01a22bb8-ed18-771a-8520-934f4b3f4850', 'device', '01a22bb8-ed61-73b7-a2d0-d7780cead845', 'press 1', '127.0.0.1', 'Bun/1.4.5', NULL, '{"deviceId":"01a22bb8-ed61-73b7-a2d0-d7780cead845","profileId":"01a22bb8-ed16-7203-b637-4e9f07b55735","name":"press 1","label":"","deviceType":"sensor","role":"DEVICE","tags":[],"token":"•••"}');
INSERT INTO "audit_entries" VALUES (3, '01a22bb8-ef06-74ec-b539-28162b67fa6c', '01a22bb8-ed16-7202-bc54-907d1d133ec2', 1796029869830, 'USER', '01a22bb8-ed18-771a-8520-934f4b3f4850', 'user1@one.example', NULL, NULL, 'attributes.set', 'SUCCESS', 'owners', '01a22bb8-ed18-771a-8520-934f4b3f4850', 'device', '01a22bb8-ed61-73b7-a2d0-d7780cead845', NULL, '127.0.0.1', 'Bun/1.4.5', '{}', '{"line":"A"}');
INSERT INTO "device_activity" VALUES ('01a22bb8-ed61-73b7-a2d0-d7780cead845', 1, 1796029869821, NULL, NULL, NULL, 64, 64);
INSERT INTO "devices" VALUES ('01a22bb8-ed61-73b7-a2d0-d7780cead845', '01a22bb8-ed16-7202-bc54-907d1d133ec2', '01a22bb8-ed16-7203-b637-4e9f07b55735', 'press 1', '', 'sensor', NULL, NULL, NULL, 'DEVICE', NULL, NULL, NULL, NULL, '[]', 'WIhrRuNzi7x91oIfBdKdBW_EUfaU9LWdDLE_vdk6Q44', 'OFN2TVO4_uNxnQ88biCnySHCOL9JrO7NLpo3WMyiXotuRRd9vk_2bGzXJhLp5NhedBAH8hg54w', 1796029869408, 1796029869408);
INSERT INTO "device_profiles" VALUES ('01a22bb8-ed16-7203-b637-4e9f07b55735', '01a22bb8-ed16-7202-bc54-907d1d133ec2', 'default', 'Used where nothing else is selected', 1, '[]', NULL, NULL, NULL, 'AUTO', 30000, 1, 1, 'REPLACE', NULL, NULL, 0, '[]', '[]', 1796029869334, 1796029869334);
INSERT INTO "tenants" VALUES ('01a22bb8-ed16-7202-bc54-907d1d133ec2', 'one', 'onprem', 1, 1796029869334, 1796029869334);
INSERT INTO "users" VALUES ('01a22bb8-ed18-771a-8520-934f4b3f4850', '01a22bb8-ed16-7202-bc54-907d1d133ec2', 'user1@one.example', 'TENANT_OWNER', 'TENANT_OWNER', 'ACTIVE', 0, 1, 0, 1, 0, '', 1, '["WARNING","MINOR","MAJOR","CRITICAL"]', 1, 1, 0, 'MANUAL', 1796029869382, 1796029869336, 1796029869336);
INSERT INTO "sessions" VALUES ('01a22bb8-ed45-73e9-8341-64d4d3c923d4', '01a22bb8-ed18-771a-8520-934f4b3f4850', NULL, NULL, 'local', '', 1796029869380, 1796029869380, 1798621869383, 1, 1796029869383);
INSERT INTO "__inventory" VALUES (1, '03184816d4cebe3e', 2, '{"storage.key":["8738d026b6ec0541"],"outbound.key":["0ecb40a50a6920dd"],"jwt.key":["ef69805ab8a6baa7"]}');
PRAGMA user_version=0;
