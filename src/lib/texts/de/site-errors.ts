import type { siteErrors } from "../en/site-errors.ts";

export const siteErrorsDe: Readonly<Record<keyof typeof siteErrors, string>> = {
  "branding.invalid": "{field}: {rule}",
  "branding.logo_not_found": "Das Gateway hat kein eigenes Logo.",
  "console.not_built": "Die Konsole ist nicht gebaut. Führen Sie npm start aus.",
  "dashboard.alias_missing": "alias: fehlt",
  "dashboard.device_type_unknown": "Es gibt kein Gerät vom Typ „{deviceType}“.",
  "dashboard.invalid": "{field}: {rule}",
  "dashboard.limit": "Ein Standort hat höchstens {limit} Dashboards. Löschen Sie zuerst eines.",
  "dashboard.not_found": "Dieses Dashboard gibt es nicht.",
  "dashboard.too_many_points":
    "Die Widgets zeigen mehr als {max} Punkte. Wählen Sie weniger Geräte oder Schlüssel, oder rufen Sie weniger Punkte ab.",
  "dashboard.too_many_values":
    "Die Widgets zeigen mehr als {max} neueste Werte. Wählen Sie weniger Geräte, Schlüssel oder Widgets.",
  "dashboard.too_many_series":
    "Ein Dashboard zeigt höchstens {max} Datenreihen. Wählen Sie weniger Geräte oder Schlüssel.",
  "dashboard.share_busy":
    "Zu viele Bildschirme benutzen diesen Link zugleich. Versuchen Sie es gleich noch einmal.",
  "dashboard.share_end": "expiresAt: muss eine Zeit wie 2026-12-24T18:00:00Z sein",
  "dashboard.share_ended": "Dieser Link ist nicht gültig oder abgelaufen.",
  "dashboard.share_expired": "expiresAt: muss in der Zukunft liegen",
  "dashboard.share_forbidden":
    "Nur Benutzer mit Zugriff auf alle Geräte dürfen Links zu einem Dashboard sehen und anlegen.",
  "dashboard.share_limit": "Ein Dashboard hat höchstens {limit} Links. Löschen Sie zuerst einen.",
  "dashboard.share_not_found": "Diesen Link gibt es nicht.",
  "dashboard.shared":
    "Zu diesem Dashboard gibt es Links. Nur Benutzer mit Zugriff auf alle Geräte dürfen ändern, was es zeigt.",
  "demo_plant.no_room":
    "Die Demo-Anlage braucht {needed} weitere Geräte, und der Tarif dieses Standorts hat Platz für {room}.",
  "gateway.operators_only":
    "Nur Eigentümer des Standorts, dem das Gateway gehört, dürfen mit Zugriff auf alle Geräte das Gateway verwalten.",
  "metrics.token_wrong": "Das Token der Metriken fehlt oder ist falsch.",
  "support.not_local":
    "Ein Befehl auf demselben Gerät weist durch eine Datei nach, dass er das lesen darf; der Nachweis fehlt oder ist falsch.",
  "path.not_found":
    "Unter diesem Pfad gibt es nichts. Die API-Dokumentation, unter /docs an der Adresse des Gateways, nennt alle Pfade.",
  "plan.bytes_limit":
    "Der Tarif dieses Standorts erlaubt {limit} Byte in der Sekunde von allen Geräten zusammen.",
  "plan.devices_limit":
    "Der Tarif dieses Standorts erlaubt {limit} Geräte. Löschen Sie eines, oder wählen Sie einen anderen Tarif.",
  "plan.messages_limit":
    "Der Tarif dieses Standorts erlaubt {limit} Nachrichten in der Sekunde von allen Geräten zusammen.",
  "plan.users_limit":
    "Der Tarif dieses Standorts erlaubt {limit} Benutzer. Löschen Sie einen, oder wählen Sie einen anderen Tarif.",
  "plan.whitelabel": "Der Tarif dieses Standorts enthält kein eigenes Erscheinungsbild.",
  "proxy.address_invalid": "trustedProxies: {entry} ist weder eine Adresse noch ein Netz wie 10.0.5.0/24.",
  "proxy.fixed":
    "Die Konfiguration des Gateways legt {key} fest. Ändern Sie es dort, und starten Sie das Gateway neu.",
  "proxy.no_headers":
    "Die Anfrage kam vom vertrauenswürdigen Proxy {peer}, aber ohne X-Forwarded-Header. Ist kein Proxy dazwischen, können Clients an dieser Adresse jede andere vorgeben; sonst lassen Sie den Proxy die Header senden.",
  "proxy.no_protocol":
    "Der Proxy sendet kein X-Forwarded-Proto. Hat er das Zertifikat, weiß das Gateway nicht, dass der Browser HTTPS verwendet.",
  "proxy.not_trusted":
    "Die Anfrage hat X-Forwarded-Header, aber {peer} ist kein vertrauenswürdiger Proxy; sie gelten deshalb nicht. Fügen Sie die Adresse hinzu, wenn es Ihr Proxy ist.",
  "proxy.other_address": "Die öffentliche Adresse ist {url}, diese Anfrage galt aber {seen}.",
  "proxy.public_url_invalid":
    "publicUrl: muss eine http- oder https-Adresse ohne Abfrage und Fragment sein. Ihr Pfad darf nur Buchstaben, Ziffern und - _ . ~ enthalten und nicht mit einem Pfad des Gateways wie /api beginnen.",
  "system.clock_ahead":
    "Die Uhr des Gateways geht gegenüber seinem letzten Lauf ({time}) mehr als einen Tag vor. Bis ein Zeitserver oder ein Eigentümer die Zeit bestätigt, werden keine alten Daten gelöscht, und Aufträge und Eskalationen warten. Verbinden Sie einen Zeitserver oder bestätigen Sie die Zeit unter Einstellungen → System.",
  "system.clock_behind":
    "Die Uhr des Gateways geht möglicherweise nach. Nachrichten, deren Zeitstempel ihr mehr als einen Tag voraus sind, werden aufbewahrt, bis sie so weit ist (Nachrichten: {messages}, Geräte: {devices}). Prüfen Sie die Uhren.",
  "system.clock_too_early": "Die Systemuhr zeigt {time}. Stellen Sie sie zuerst.",
  "system.clock_stepped":
    "Die Uhr des Gateways wurde in der letzten Stunde um {seconds} s gestellt. Prüfen Sie seinen Zeitserver, und ob Werte eine falsche Zeit haben.",
  "tls.certificate_refused":
    "Das neue TLS-Zertifikat ist nicht verwendbar; das bisherige bleibt in Gebrauch: {reason}",
  "tls.certificate_expired":
    "Das TLS-Zertifikat ist abgelaufen. Erneuern Sie es und ersetzen Sie seine Dateien.",
  "tls.certificate_expires":
    "Das TLS-Zertifikat läuft in {days} Tagen ab. Erneuern Sie es und ersetzen Sie seine Dateien.",
  "system.clock_unknown":
    "Die letzte bekannte Zeit ist verloren; die Uhr des Gateways kann daher falsch gehen. Bis ein Zeitserver oder ein Eigentümer die Zeit bestätigt, werden keine alten Daten gelöscht, und Aufträge und Eskalationen warten. Verbinden Sie einen Zeitserver oder bestätigen Sie die Zeit unter Einstellungen → System.",
  "system.clock_unset":
    "Die Uhr des Gateways ist nicht gestellt. Die Zeit läuft ab der letzten bekannten Zeit weiter, und Aufträge und Eskalationen warten. Verbinden Sie einen Zeitserver, stellen Sie die Uhr, oder bestätigen Sie sie unter Einstellungen → System.",
  "system.not_ready": "Lineside startet oder beendet sich gerade. Versuchen Sie es gleich noch einmal.",
  "system.open_files":
    "Das Gateway hat {open} von höchstens {max} Dateien und Verbindungen offen; neue Verbindungen können scheitern. Schließen Sie Verbindungen oder erhöhen Sie LimitNOFILE des Dienstes.",
  "tenant.host": "Dieser Standort gehört den Betreibern des Gateways und lässt sich nicht löschen.",
  "tenant.host_sees_all": "Der eigene Standort des Gateways hat schon alle Messwerte des Gateways.",
  "tenant.mqtt_connections_limit": "Ein Standort kann höchstens {max} MQTT-Verbindungen haben.",
  "tenant.mqtt_sessions_limit": "Ein Standort kann höchstens {max} dauerhafte MQTT-Sitzungen haben.",
  "tenant.not_found": "Diesen Standort gibt es nicht.",
  "tenant.unconfirmed": "tenantName: muss der Name des Standorts sein, der gelöscht werden soll",
  "tenant_attribute.limit": "Ein Standort hat höchstens {limit} Attribute. Löschen Sie zuerst eines.",
  "tenant_attribute.not_found": "Der Standort hat dieses Attribut nicht.",
  "tenant_attribute.too_large": "value: darf höchstens {bytes} KiB haben",
  "tenant_attribute.value_invalid": "value: muss ein Objekt sein",
};
