export const mqttErrors = {
  "mqtt_client.all_devices_needed": "Only users with access to all devices can manage MQTT clients.",
  "mqtt_client.api_key_limited":
    "apiKeyId: this key sees only some devices; select a key with access to all of them",
  "mqtt_client.api_key_taken": "Another MQTT client already signs in with this API key.",
  "mqtt_client.api_key_unknown": "apiKeyId: there is no such API key",
  "mqtt_client.certificate_taken": "Another MQTT client or device already signs in with this certificate.",
  "mqtt_client.name_taken": "An MQTT client with this name already exists. Select another name.",
  "mqtt_client.not_found": "There is no such MQTT client.",
  "mqtt_client.password_reserved": "password: must not begin with lsk_, which marks API keys",
  "mqtt_client.password_weak":
    "password: is too easy to guess: common, or like the name. Leave it out to get a generated one",
  "mqtt_client.pattern_invalid":
    "“{pattern}” is not a valid topic pattern: + must fill a whole level, and # must be the last level",
  "mqtt_client.pattern_reserved":
    "“{pattern}” is reserved: clients cannot publish to topics that begin with $ or lineside/",
  "mqtt_client.too_many": "A site can have at most {max} MQTT clients. Delete clients that are not used.",
  "mqtt_client.topic_invalid": "topic: must not contain + or #, and must not begin with $ or lineside/",
  "mqtt_client.username_missing": "username: is missing",
  "mqtt_client.username_reserved": "username: “provision” is reserved for devices without credentials",
  "mqtt_client.username_taken": "Another MQTT client or device already has this user name.",
} as const;
