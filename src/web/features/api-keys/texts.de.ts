import type { apiKeysEn } from "./texts.en.ts";

export const apiKeysDe: Readonly<Record<keyof typeof apiKeysEn, string>> = {
  "keys.intro":
    "Skripte und andere Programme melden sich mit einem eigenen Schlüssel an. Ein Schlüssel darf nie mehr als seine Rolle und als derjenige, der ihn angelegt hat.",
  "keys.create": "Neuer API-Schlüssel",
  "keys.none": "Noch keine API-Schlüssel",
  "keys.noneHint":
    "Legen Sie für jedes Programm einen an, damit Sie ihn wieder entziehen können, ohne die anderen zu berühren.",
  "keys.name": "Name",
  "keys.nameHint": "Was ihn verwendet, zum Beispiel „ERP-Export“.",
  "keys.expires": "Läuft ab",
  "keys.expiresOn": "Am",
  "keys.lastUsed": "Zuletzt benutzt",
  "keys.never": "nie",
  "keys.createdBy": "Angelegt von {name}",
  "keys.createdByCommand": "Auf der Kommandozeile angelegt",
  "keys.createdByGone": "Angelegt von jemandem, den es nicht mehr gibt",
  "keyStatus.ACTIVE": "Gilt",
  "keyStatus.EXPIRED": "Abgelaufen",
  "keyStatus.STOPPED": "Ruht: wer ihn angelegt hat, ist gesperrt oder nicht mehr da",
  "keys.all": "Alle Geräte, die ich sehe",
  "keys.allHint": "Ändert sich Ihr Zugriff, dann auch der des Schlüssels.",
  "keys.selectOne": "Wählen Sie mindestens ein Gerät.",
  "keys.ready": "Schlüssel für {name}",
  "keys.once":
    "Kopieren Sie ihn jetzt: Er wird nur als Prüfwert gespeichert und lässt sich nicht noch einmal zeigen. Geht er verloren, widerrufen Sie ihn und legen einen neuen an.",
  "keys.secret": "API-Schlüssel",
  "keys.copy": "Schlüssel kopieren",
  "keys.example": "Zum Beispiel",
  "keys.copyExample": "Beispiel kopieren",
  "keys.done": "Ich habe ihn kopiert",
  "keys.rename": "Umbenennen",
  "keys.renameOf": "{name} umbenennen",
  "keys.revoke": "Widerrufen",
  "keys.revokeOf": "{name} widerrufen",
  "keys.revokeWarning":
    "Alles, was {name} verwendet, funktioniert sofort nicht mehr, auch offene Streams. Das lässt sich nicht rückgängig machen.",
  "keys.revoked": "{name} gilt nicht mehr.",
};
