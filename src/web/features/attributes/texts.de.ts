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
  "scopeHint.CLIENT":
    "Angaben des Geräts über sich selbst, zum Beispiel seine Firmware-Version. Sie sind nur lesbar.",
  "scopeEmpty.SHARED":
    "Fügen Sie ein Attribut hinzu. Das Gerät erhält es sofort oder bei der nächsten Verbindung.",
  "scopeEmpty.SERVER": "Fügen Sie Angaben hinzu, die Sie zu diesem Gerät festhalten wollen.",
  "scopeEmpty.CLIENT": "Attribute erscheinen hier, sobald das Gerät auf v1/devices/me/attributes sendet.",
  "attributes.none": "Noch keine Attribute",
  "attributes.add": "Attribut hinzufügen",
  "attributes.edit": "{key} bearbeiten",
  "attributes.delete": "{key} löschen",
  "attributes.deleteShared": "Das Gerät erfährt, dass es diese Einstellung nicht mehr gibt.",
  "attributes.deleteServer": "Der Wert wird endgültig gelöscht.",
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
    "Hier steht jeder neue Wert eines Attributs, mit Urheber und Zeit. Wiederholungen desselben Werts werden nicht aufgeführt.",
  "changes.none": "Noch keine Änderungen",
  "changes.noneHint":
    "Änderungen erscheinen hier, sobald jemand ein Attribut setzt oder das Gerät eines meldet.",
  "changes.more": "Mehr zeigen",
  "changes.of": "Verlauf von {key}",
  "changes.deleted": "gelöscht",
  "changes.by.USER": "ein Benutzer",
  "changes.by.DEVICE": "das Gerät",
  "changes.by.SYSTEM": "Lineside",
  "attributes.history": "Verlauf von {key}",
  "desired.IN_SYNC": "übernommen",
  "desired.DIFFERENT": "Gerät meldet {value}",
  "desired.NOT_REPORTED": "nicht gemeldet",
};
