import { MIB } from "../../lib/core/units.ts";
import type { Config } from "../../platform/config/config.ts";
import type { MqttLimits } from "../mqtt.types.ts";

/** Returns the configured limits of the MQTT server. */
export const mqttLimits = (config: Config): MqttLimits => ({
  packetBytesMax: config.mqtt_packet_bytes_max,
  connectionsMax: config.mqtt_connections_max,
  connectionsPerAddressMax: config.mqtt_connections_per_address_max,
  connectTimeoutMs: config.mqtt_connect_timeout_ms,
  ...(config.mqtt_keep_alive_seconds_max > 0 && {
    keepAliveSecondsMax: config.mqtt_keep_alive_seconds_max,
  }),
  inFlightMax: config.mqtt_in_flight_max,
  queuedPerClientMax: config.mqtt_queued_per_client_max,
  sessionExpirySecondsMax: config.mqtt_session_expiry_seconds_max,
  connectionsPerKeyMax: config.mqtt_connections_per_key_max,
  sessionsPerKeyMax: config.mqtt_sessions_per_key_max,
  queuedBytesPerCredentialMax: config.mqtt_queued_mb_per_credential_max * MIB,
  queuedBytesMax: config.mqtt_queued_mb_max * MIB,
});
