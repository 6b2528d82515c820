import type { enHistory } from "./en-history.ts";

export const deHistory: Readonly<Record<keyof typeof enHistory, string>> = {
  "tab.history": "Verlauf",
  "history.all": "Alle",
  "history.hint":
    "Jeder neue Wert eines Attributs, wer ihn gesetzt hat und wann. Was das Gerät nur wiederholt, steht nicht hier.",
  "history.none": "Noch nichts geändert",
  "history.noneHint":
    "Änderungen erscheinen hier, sobald jemand ein Attribut setzt oder das Gerät eines meldet.",
  "history.more": "Mehr zeigen",
  "history.of": "Verlauf von {key}",
  "history.deleted": "gelöscht",
  "history.by.USER": "jemand",
  "history.by.DEVICE": "das Gerät",
  "history.by.SYSTEM": "Lineside",
  "attributes.history": "Verlauf von {key}",
  "desired.IN_SYNC": "übernommen",
  "desired.DIFFERENT": "Gerät meldet {value}",
  "desired.NOT_REPORTED": "nicht gemeldet",
};
