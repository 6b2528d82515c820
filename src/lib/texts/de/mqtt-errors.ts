import type { mqttErrors } from "../en/mqtt-errors.ts";

export const mqttErrorsDe: Readonly<Record<keyof typeof mqttErrors, string>> = {
  "mqtt_client.all_devices_needed": "Nur Benutzer mit Zugriff auf alle Geräte können MQTT-Clients verwalten.",
  "mqtt_client.api_key_limited":
    "apiKeyId: dieser Schlüssel sieht nur einige Geräte; wählen Sie einen mit Zugriff auf alle",
  "mqtt_client.api_key_taken": "Ein anderer MQTT-Client meldet sich schon mit diesem API-Schlüssel an.",
  "mqtt_client.api_key_unknown": "apiKeyId: diesen API-Schlüssel gibt es nicht",
  "mqtt_client.certificate_taken":
    "Ein anderer MQTT-Client oder ein Gerät meldet sich schon mit diesem Zertifikat an.",
  "mqtt_client.name_taken": "Einen MQTT-Client dieses Namens gibt es schon. Wählen Sie einen anderen Namen.",
  "mqtt_client.not_found": "Diesen MQTT-Client gibt es nicht.",
  "mqtt_client.password_reserved":
    "password: darf nicht mit lsk_ beginnen, woran API-Schlüssel zu erkennen sind",
  "mqtt_client.password_weak":
    "password: ist zu leicht zu erraten: verbreitet oder wie der Name. Ohne Angabe wird eines erzeugt",
  "mqtt_client.pattern_invalid":
    "„{pattern}“ ist kein gültiges Topic-Muster: + muss eine ganze Ebene füllen, und # muss die letzte Ebene sein",
  "mqtt_client.pattern_reserved":
    "„{pattern}“ ist reserviert: auf Topics, die mit $ oder lineside/ beginnen, können Clients nichts senden",
  "mqtt_client.too_many":
    "Ein Standort kann höchstens {max} MQTT-Clients haben. Löschen Sie Clients, die nicht verwendet werden.",
  "mqtt_client.topic_invalid": "topic: darf weder + noch # enthalten und nicht mit $ oder lineside/ beginnen",
  "mqtt_client.username_missing": "username: fehlt",
  "mqtt_client.username_reserved": "username: „provision“ ist für Geräte ohne Zugangsdaten reserviert",
  "mqtt_client.username_taken": "Ein anderer MQTT-Client oder ein Gerät hat diesen Benutzernamen schon.",
};
