import { conflict, forbidden, invalid } from "../../lib/core/domain-error.ts";

export const mqttUsernameTaken = () => conflict("mqtt_client.username_taken");
export const mqttCertificateTaken = () => conflict("mqtt_client.certificate_taken");
export const mqttApiKeyUnknown = () => invalid("mqtt_client.api_key_unknown");
export const mqttApiKeyLimited = () => invalid("mqtt_client.api_key_limited");
export const mqttUsernameMissing = () => invalid("mqtt_client.username_missing");
export const mqttUsernameReserved = () => invalid("mqtt_client.username_reserved");
export const mqttPasswordReserved = () => invalid("mqtt_client.password_reserved");
export const mqttPasswordWeak = () => invalid("mqtt_client.password_weak");
export const mqttPatternInvalid = (pattern: string) => invalid("mqtt_client.pattern_invalid", { pattern });
export const mqttPatternReserved = (pattern: string) => invalid("mqtt_client.pattern_reserved", { pattern });
export const mqttTopicInvalid = () => invalid("mqtt_client.topic_invalid");
export const mqttClientsNeedAllDevices = () => forbidden("mqtt_client.all_devices_needed");
