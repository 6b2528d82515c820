import type { attributesEn } from "./texts.en.ts";

export const attributesDe: Readonly<Record<keyof typeof attributesEn, string>> = {
  "attributes.scope": "Geltungsbereich",
  "scope.SHARED": "Geteilt",
  "scope.SERVER": "Server",
  "scope.CLIENT": "Gerät",
  "scopeHint.SHARED":
    "Einstellungen, die Sie vornehmen und das Gerät erhält, zum Beispiel eine Solltemperatur.",
  "scopeHint.SERVER":
    "Angaben, die auf dem Server bleiben und das Gerät nie sieht, zum Beispiel eine Inventarnummer.",
  "scopeHint.CLIENT": "Was das Gerät über sich sagt, zum Beispiel seine Firmware-Version. Nur lesbar.",
  "scopeEmpty.SHARED":
    "Fügen Sie eines hinzu, und das Gerät erhält es sofort oder bei der nächsten Verbindung.",
  "scopeEmpty.SERVER": "Fügen Sie hinzu, was Sie über dieses Gerät wissen wollen.",
  "scopeEmpty.CLIENT": "Sie erscheinen, wenn das Gerät auf v1/devices/me/attributes sendet.",
  "attributes.none": "Hier sind keine Attribute",
  "attributes.add": "Attribut hinzufügen",
  "attributes.edit": "{key} bearbeiten",
  "attributes.delete": "{key} löschen",
  "attributes.deleteShared": "Das Gerät erfährt, dass es diese Einstellung nicht mehr gibt.",
  "attributes.deleteServer": "Der Wert ist dann endgültig weg.",
  "attributes.key": "Name",
  "attributes.kind": "Art des Werts",
  "attributes.value": "Wert",
  "attributes.notJson": "Das ist kein gültiges JSON. Prüfen Sie Anführungszeichen, Kommas und Klammern.",
  "attributes.notNumber": "Das ist keine Zahl. Verwenden Sie Ziffern, zum Beispiel 21,5.",
  "kind.text": "Text",
  "kind.number": "Zahl",
  "kind.boolean": "Ja / nein",
  "kind.json": "JSON",
  "changes.all": "Alle",
  "changes.hint":
    "Jeder neue Wert eines Attributs, wer ihn gesetzt hat und wann. Was das Gerät nur wiederholt, steht nicht hier.",
  "changes.none": "Noch nichts geändert",
  "changes.noneHint":
    "Änderungen erscheinen hier, sobald jemand ein Attribut setzt oder das Gerät eines meldet.",
  "changes.more": "Mehr zeigen",
  "changes.of": "Verlauf von {key}",
  "changes.deleted": "gelöscht",
  "changes.by.USER": "jemand",
  "changes.by.DEVICE": "das Gerät",
  "changes.by.SYSTEM": "Lineside",
  "attributes.history": "Verlauf von {key}",
  "desired.IN_SYNC": "übernommen",
  "desired.DIFFERENT": "Gerät meldet {value}",
  "desired.NOT_REPORTED": "nicht gemeldet",
};
