import type { apiKeysEn } from "./texts.en.ts";

export const apiKeysDe: Readonly<Record<keyof typeof apiKeysEn, string>> = {
  "keys.intro":
    "Skripte und andere Programme melden sich mit einem API-Schlüssel an. Ein Schlüssel hat höchstens die Rechte seiner Rolle und des Benutzers, der ihn angelegt hat.",
  "keys.create": "API-Schlüssel anlegen",
  "keys.none": "Noch keine API-Schlüssel",
  "keys.noneHint":
    "Legen Sie für jedes Programm einen eigenen Schlüssel an. So können Sie ihn widerrufen, ohne die anderen zu beeinträchtigen.",
  "keys.name": "Name",
  "keys.nameHint": "Das Programm, das ihn verwendet, zum Beispiel „ERP-Export“.",
  "keys.expires": "Läuft ab",
  "keys.expiresOn": "Am",
  "keys.lastUsed": "Zuletzt verwendet",
  "keys.never": "nie",
  "keys.createdBy": "Angelegt von {name}",
  "keys.createdByCommand": "Auf der Kommandozeile angelegt",
  "keys.createdByGone": "Angelegt von einem gelöschten Benutzer",
  "keyStatus.ACTIVE": "Gültig",
  "keyStatus.EXPIRED": "Abgelaufen",
  "keyStatus.STOPPED": "Inaktiv: Der Benutzer, der ihn angelegt hat, ist gesperrt oder gelöscht",
  "keys.all": "Alle Geräte, die ich sehe",
  "keys.allHint": "Wenn sich Ihr Zugriff ändert, ändert sich auch der des Schlüssels.",
  "keys.selectOne": "Wählen Sie mindestens ein Gerät.",
  "keys.ready": "Schlüssel für {name}",
  "keys.once":
    "Kopieren Sie den Schlüssel jetzt. Er wird nur als Prüfwert gespeichert und nicht noch einmal angezeigt. Wenn er verloren geht, widerrufen Sie ihn und legen Sie einen neuen an.",
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
    "Programme, die {name} verwenden, verlieren sofort den Zugriff, auch in offenen Streams. Das lässt sich nicht rückgängig machen.",
  "keys.revoked": "{name} gilt nicht mehr.",
};
