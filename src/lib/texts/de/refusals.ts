import type { refusalTexts } from "../en/refusals.ts";

/** Why a credential was refused, and what to do about it, in German. */
export const refusalTextsDe: Readonly<Record<keyof typeof refusalTexts, string>> = {
  "refusal.certificate_expired": "Das Zertifikat ist abgelaufen.",
  "refusal.certificate_unconfirmed": "Das Zertifikat ist noch nicht bestätigt.",
  "refusal.certificate_wrong": "Das Zertifikat gehört zu keinem Gerät.",
  "refusal.claim_closed": "Kein Geräteprofil lässt Geräte ihre Zugangsdaten abholen.",
  "refusal.claim_device_in_use": "Das Gerät ist in Gebrauch oder hat seine Zugangsdaten schon abgeholt.",
  "refusal.claim_device_unexpected": "Ein Gerät mit diesem Namen wird nicht erwartet.",
  "refusal.claim_invalid": "Die Anfrage nach Zugangsdaten ist nicht lesbar.",
  "refusal.claim_key_wrong": "Der Schlüssel der Provisionierung oder sein Geheimnis ist falsch.",
  "refusal.client_disabled": "Der MQTT-Client ist deaktiviert.",
  "refusal.connection_limit": "Zu viele Verbindungen sind offen.",
  "refusal.credential_missing": "Es wurden keine Zugangsdaten gesendet.",
  "refusal.download_link_invalid": "Der Link zu einer Sicherung ist unbekannt, benutzt oder abgelaufen.",
  "refusal.external_refused": "Der Anmeldedienst hat die Anmeldung nicht bestätigt.",
  "refusal.external_unverified": "Der Anmeldedienst nannte keine bestätigte E-Mail-Adresse.",
  "refusal.key_expired": "Der API-Schlüssel ist abgelaufen.",
  "refusal.key_stopped": "Der Benutzer, der den API-Schlüssel angelegt hat, ist gesperrt oder gelöscht.",
  "refusal.key_wrong": "Diesen API-Schlüssel gibt es nicht.",
  "refusal.metrics_token_wrong": "Das Token für die Metriken ist falsch.",
  "refusal.password_expired": "Das vorläufige Passwort ist abgelaufen.",
  "refusal.password_shared": "Ein anderer Standort hat denselben Namen mit demselben Passwort.",
  "refusal.password_wrong": "Das Passwort ist falsch.",
  "refusal.email_link_invalid":
    "Der Link zur Bestätigung einer neuen E-Mail-Adresse ist unbekannt, benutzt oder abgelaufen.",
  "refusal.protocol_level_unknown": "Die Version des MQTT-Protokolls wird nicht unterstützt.",
  "refusal.reset_link_invalid": "Der Link für ein neues Passwort ist unbekannt, benutzt oder abgelaufen.",
  "refusal.second_factor_wrong": "Der Code des zweiten Faktors ist falsch.",
  "refusal.secret_wrong": "Das Webhook-Geheimnis ist falsch.",
  "refusal.session_ended": "Die Sitzung ist beendet.",
  "refusal.session_expired": "Das Zugriffstoken der Sitzung ist abgelaufen.",
  "refusal.session_token_wrong": "Das Zugriffstoken ist nicht gültig.",
  "refusal.setup_link_invalid": "Der Einrichtungslink ist unbekannt, benutzt oder abgelaufen.",
  "refusal.sign_in_expired": "Dieser Browser hat die Anmeldung nicht begonnen, oder vor zu langer Zeit.",
  "refusal.subscription_limit": "Ein Abonnement wurde abgelehnt: zu viele Abonnements oder zu viele Ebenen.",
  "refusal.token_wrong": "Das Token oder der Benutzername gehört zu keinem Gerät.",
  "refusal.too_many_tries": "Zu viele Versuche sind vorher fehlgeschlagen.",
  "refusal.user_disabled": "Der Benutzer ist gesperrt.",
  "refusal.user_unknown": "Es gibt keinen Benutzer mit dieser E-Mail-Adresse.",
  "refusal_hint.certificate_expired":
    "Erneuern Sie das Zertifikat auf dem Gerät und tragen Sie das neue auf der Seite des Geräts ein.",
  "refusal_hint.certificate_unconfirmed":
    "Verbinden Sie sich einmal mit der ID des Geräts oder MQTT-Clients als Benutzername oder Client-ID.",
  "refusal_hint.certificate_wrong":
    "Vergleichen Sie den Fingerabdruck mit dem Zertifikat auf der Seite des Geräts.",
  "refusal_hint.claim_device_unexpected":
    "Legen Sie das Gerät mit genau diesem Namen an oder erlauben Sie neue Geräte im Geräteprofil.",
  "refusal_hint.claim_key_wrong": "Vergleichen Sie beide mit dem Geräteprofil.",
  "refusal_hint.external_refused": "Im Log steht der Grund, den der Anmeldedienst nannte.",
  "refusal_hint.external_unverified":
    "Bestätigen Sie die Adresse beim Anmeldedienst, oder setzen Sie oidc_trust_email, wenn er nie sagt, ob Adressen bestätigt sind.",
  "refusal_hint.key_wrong":
    "Der Schlüssel wurde widerrufen oder ist unvollständig. Vergleichen Sie seine ersten Zeichen mit der Liste der API-Schlüssel.",
  "refusal_hint.password_shared":
    "Setzen Sie ein erzeugtes Passwort: Das Gateway kann nicht erkennen, wem das Gerät oder der MQTT-Client gehört.",
  "refusal_hint.password_wrong":
    "Vergleichen Sie das Passwort mit dem des Geräts oder Benutzers und setzen Sie ein neues, wenn es verloren ist.",
  "refusal_hint.protocol_level_unknown": "Stellen Sie den Client auf MQTT 3.1.1 oder 5.",
  "refusal_hint.session_expired":
    "Der Benutzer muss sich neu anmelden. Ein Programm braucht stattdessen einen API-Schlüssel.",
  "refusal_hint.setup_link_invalid":
    "Der Befehl lineside setup-link gibt auf einem Gateway ohne Benutzer einen neuen Link aus.",
  "refusal_hint.token_wrong":
    "Vergleichen Sie die ersten Zeichen und die Länge mit dem Zugriffstoken auf der Seite des Geräts.",
  "refusal_hint.too_many_tries": "Berichtigen Sie die Zugangsdaten und warten Sie eine Minute.",
  "refusal_hint.client_disabled": "Aktivieren Sie den Client auf der Seite der MQTT-Clients.",
  "refusal_hint.connection_limit":
    "Schließen Sie ungenutzte Verbindungen oder erhöhen Sie die Grenze: mqtt_connections_max, mqtt_connections_per_address_max oder den Tarif.",
  "refusal_hint.credential_missing":
    "Verwenden Sie das Zugriffstoken des Geräts als Benutzernamen, oder Benutzernamen und Passwort des MQTT-Clients.",
  "refusal_hint.secret_wrong":
    "Vergleichen Sie das Secret des Absenders mit dem der Anbindung, oder erzeugen Sie ein neues.",
  "refusal_hint.user_unknown": "Prüfen Sie die Adresse auf Tippfehler, oder laden Sie den Benutzer ein.",
};
