import type { connectEn } from "./texts.en.ts";

export const connectDe: Readonly<Record<keyof typeof connectEn, string>> = {
  "connect.tls": "Mit TLS",
  "connect.tlsHint": "Verschlüsselt. Das Gerät muss dem Zertifikat dieses Gateways vertrauen (ca.pem).",
  "connect.noTls":
    "Für Zertifikate ist TLS nötig, das auf diesem Gateway abgeschaltet ist. Starten Sie es mit tls = auto.",
  "connect.authority": "ca.pem herunterladen, der das Gerät vertrauen muss",
  "connect.signInRefusedUnknown":
    "{count}-mal abgelehnt, von einem Client, der zu einem anderen Standort gehören kann:",
  "connect.signInRefused": "{count}-mal abgelehnt, von {address}:",
  "signIn.kind": "Zugangsdaten",
  "signIn.ACCESS_TOKEN": "Zugangstoken",
  "signIn.MQTT_BASIC": "Passwort",
  "signIn.X509": "Zertifikat",
  "signIn.hint.ACCESS_TOKEN":
    "Ein geheimer Text, den das Gerät als MQTT-Benutzername oder in der HTTP-Adresse sendet. Das ist der einfachste Weg.",
  "signIn.hint.MQTT_BASIC":
    "Für Geräte, die Benutzername oder Client-ID und ein Passwort brauchen. Nur über MQTT.",
  "signIn.hint.X509": "Das Gerät weist sich mit seinem eigenen Zertifikat aus. Nur über MQTT mit TLS.",
  "signIn.change": "Zugangsdaten ändern",
  "signIn.changed": "Die neuen Zugangsdaten des Geräts gelten jetzt.",
  "signIn.save": "Zugangsdaten ändern",
  "signIn.warning": "Die bisherigen Zugangsdaten werden sofort ungültig, und das Gerät wird getrennt.",
  "signIn.ownToken": "Eigenes Token",
  "signIn.ownTokenHint":
    "20 bis 128 Buchstaben, Ziffern und . _ ~ -. Wenn das Feld leer ist, wird ein sicheres Token erzeugt.",
  "signIn.username": "Benutzername",
  "signIn.clientId": "Client-ID",
  "signIn.clientIdHint": "Nur nötig, wenn das Gerät eine bestimmte Client-ID verwendet.",
  "signIn.password": "Passwort",
  "signIn.passwordHint":
    "Mindestens 8 Zeichen. Wenn das Feld leer ist, wird ein sicheres Passwort erzeugt und einmal angezeigt.",
  "signIn.certificate": "Zertifikat des Geräts (PEM)",
  "signIn.certificateHint": "Oder der SHA-256-Fingerabdruck. Der private Schlüssel bleibt auf dem Gerät.",
  "signIn.fingerprint": "Fingerabdruck (SHA-256)",
  "signIn.validTo": "Gültig bis",
  "signIn.confirmed": "Bestätigt",
  "signIn.isConfirmed": "ja",
  "signIn.unconfirmed":
    "Noch nicht. Hat das Gateway mehrere Standorte, verbinden Sie das Gerät einmal mit seiner ID als Benutzername.",
  "signIn.newPassword": "Neues Passwort",
  "signIn.newPasswordHint": "Es wird nur dieses eine Mal gezeigt. Geben Sie es jetzt dem Gerät.",
  "signIn.copyPassword": "Passwort kopieren",
  "signIn.noted": "Ich habe es notiert",
  "signIn.rotate": "Neues Passwort",
  "signIn.rotateGo": "Neues Passwort erzeugen",
  "signIn.rotateWarning":
    "Das bisherige Passwort wird sofort ungültig. Das Gerät bleibt getrennt, bis es das neue verwendet.",

  "connect.title": "Den ersten Wert senden",
  "connect.hint":
    "Kopieren Sie ein Beispiel und führen Sie es aus. Adresse und Zugangsdaten sind die dieses Geräts.",
  "connect.noToken": "Ihre Rolle darf das Token nicht sehen. Fragen Sie jemanden, der Geräte ändern darf.",
  "connect.shell": "Shell",
  "connect.tools": "Werkzeug",
  "connect.example": "Beispiel",
  "connect.copySnippet": "Beispiel kopieren",
  "connect.waiting": "Die erste Nachricht wird erwartet",
  "connect.waitingHint": "Führen Sie das Beispiel aus. Sobald eine Nachricht ankommt, wird die Anzeige grün.",
  "connect.receiving": "Daten kommen an",
  "connect.silent": "Zurzeit stumm",
  "connect.lastMessage": "Letzte Nachricht:",
  "connect.seeChart": "Diagramm öffnen",
  "connect.refused": "Eine Nachricht wurde abgelehnt",
  "connect.seeMessages": "Alle Nachrichten ansehen",
  "connect.access": "Zugangsdaten",
  "connect.host": "Host",
  "connect.mqttPort": "MQTT-Port",
  "connect.http": "HTTP-Adresse",
  "connect.token": "Token (MQTT-Benutzername)",
  "connect.copyToken": "Token kopieren",
  "connect.rotate": "Neues Token",
  "connect.rotateGo": "Neues Token erzeugen",
  "connect.rotateWarning":
    "Das bisherige Token wird sofort ungültig. Das Gerät bleibt getrennt, bis es das neue verwendet.",
  "connect.rotated": "Das neue Token gilt. Geben Sie es jetzt dem Gerät.",
};
