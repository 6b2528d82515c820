import type { enHistory } from "./en-history.ts";

export const deHistory: Readonly<Record<keyof typeof enHistory, string>> = {
  "tab.history": "Verlauf",
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
