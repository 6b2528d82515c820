/** How a device signs in. */
export const deConnect = {
  "connect.tls": "Mit TLS",
  "connect.tlsHint": "Verschlüsselt. Das Gerät muss dem Zertifikat dieses Gateways vertrauen (ca.pem).",
  "connect.noTls": "Ein Zertifikat braucht TLS, das auf diesem Gateway aus ist: mit tls = auto starten.",
  "connect.authority": "ca.pem herunterladen, der das Gerät vertrauen muss",
  "signIn.kind": "Anmeldung des Geräts",
  "signIn.ACCESS_TOKEN": "Zugangstoken",
  "signIn.MQTT_BASIC": "Passwort",
  "signIn.X509": "Zertifikat",
  "signIn.hint.ACCESS_TOKEN":
    "Ein geheimer Text, als MQTT-Benutzername oder in der HTTP-Adresse. Der einfachste Weg.",
  "signIn.hint.MQTT_BASIC":
    "Für Geräte, die Benutzername oder Client-Id und ein Passwort wollen. Nur über MQTT.",
  "signIn.hint.X509":
    "Das Gerät zeigt sein eigenes Zertifikat und beweist, dass es den Schlüssel hat. Nur über MQTT mit TLS.",
  "signIn.change": "Anmeldung ändern",
  "signIn.changed": "Das Gerät meldet sich ab jetzt so an.",
  "signIn.save": "Ändern",
  "signIn.warning": "Die bisherige Anmeldung gilt sofort nicht mehr, und das Gerät wird getrennt.",
  "signIn.ownToken": "Eigenes Token",
  "signIn.ownTokenHint":
    "20 bis 128 Buchstaben, Ziffern und . _ ~ -; leer gelassen wird ein sicheres erzeugt.",
  "signIn.username": "Benutzername",
  "signIn.clientId": "Client-Id",
  "signIn.clientIdHint": "Nur wenn das Gerät eine bestimmte benutzen muss.",
  "signIn.password": "Passwort",
  "signIn.passwordHint": "Mindestens 8 Zeichen; leer gelassen wird ein sicheres erzeugt und einmal gezeigt.",
  "signIn.certificate": "Zertifikat des Geräts (PEM)",
  "signIn.certificateHint":
    "Oder sein SHA-256-Fingerabdruck. Nie der private Schlüssel: er bleibt auf dem Gerät.",
  "signIn.fingerprint": "Fingerabdruck (SHA-256)",
  "signIn.validTo": "Gültig bis",
  "signIn.newPassword": "Neues Passwort",
  "signIn.newPasswordHint": "Es wird nur dieses eine Mal gezeigt. Geben Sie es jetzt dem Gerät.",
  "signIn.copyPassword": "Passwort kopieren",
  "signIn.noted": "Ich habe es",
  "signIn.rotate": "Neues Passwort",
  "signIn.rotateGo": "Neues Passwort erzeugen",
  "signIn.rotateWarning":
    "Das jetzige Passwort gilt sofort nicht mehr, und das Gerät ist getrennt, bis es das neue bekommen hat.",
} as const;
