import { language } from "../../platform/preferences.ts";

interface StepText {
  readonly title: string;
  readonly what: string;
}

/** Texts by type. They are not in the catalogue, because every screen loads it at the start. */
const en = {
  rename_keys: { title: "Rename keys", what: "Renames keys." },
  change_scope: {
    title: "Store as attributes",
    what: "Stores keys as attributes of the device instead of telemetry.",
  },
  filter_range: {
    title: "Filter by range",
    what: "Drops numbers outside of a range, which broken sensors send.",
  },
  pick_keys: { title: "Keep only some keys", what: "Keeps these keys and drops all others." },
  drop_keys: { title: "Drop keys", what: "Drops these keys." },
  scale_keys: {
    title: "Scale",
    what: "Multiplies numbers and adds an offset, for example to convert raw counts to units.",
  },
  derive_key: { title: "Derive a key", what: "Calculates a key from others with an expression." },
  flatten_object: {
    title: "Flatten objects",
    what: "Turns the contents of objects into keys: a.b for b in a.",
  },
  clamp_range: { title: "Clamp", what: "Limits numbers to a range." },
  set_default: { title: "Set defaults", what: "Sets keys that the message does not have." },
  coerce_types: { title: "Change types", what: "Converts values to numbers, texts, booleans or JSON." },
  copy_key: { title: "Copy a key", what: "Copies the value of a key to a second key." },
  round_keys: { title: "Round", what: "Rounds numbers. Fewer digits take less space on the disk." },
  remove_empty: { title: "Remove empty values", what: "Drops empty texts, objects and lists." },
  map_values: {
    title: "Translate values",
    what: "Translates the values of a key, for example codes to words.",
  },
  string_transform: { title: "Change texts", what: "Trims, cuts, replaces, prefixes." },
  conditional_drop: {
    title: "Drop on a condition",
    what: "Drops the message, or some of its keys, when a condition holds.",
  },
  webhook_forward: {
    title: "Forward to a webhook",
    what: "Posts the message, as it is at this step, to another program, and retries until the program accepts it.",
  },
} satisfies Record<string, StepText>;

type Texts = Readonly<Record<keyof typeof en, StepText>>;

const de: Texts = {
  rename_keys: { title: "Schlüssel umbenennen", what: "Gibt Schlüsseln andere Namen." },
  change_scope: {
    title: "Zu Attributen machen",
    what: "Speichert Schlüssel als Attribute des Geräts statt als Telemetrie.",
  },
  filter_range: {
    title: "Nach Bereich filtern",
    what: "Entfernt Zahlen außerhalb eines Bereichs, wie defekte Sensoren sie senden.",
  },
  pick_keys: { title: "Nur manche Schlüssel behalten", what: "Entfernt alle anderen Schlüssel." },
  drop_keys: { title: "Schlüssel entfernen", what: "Entfernt Schlüssel." },
  scale_keys: {
    title: "Skalieren",
    what: "Multipliziert Zahlen und zählt etwas dazu: von Rohwerten zu Einheiten.",
  },
  derive_key: {
    title: "Schlüssel berechnen",
    what: "Berechnet einen Schlüssel aus anderen mit einem Ausdruck.",
  },
  flatten_object: {
    title: "Objekte auflösen",
    what: "Macht Schlüssel aus dem Inhalt eines Objekts: a.b für b in a.",
  },
  clamp_range: { title: "Begrenzen", what: "Setzt Zahlen außerhalb eines Bereichs auf dessen Enden." },
  set_default: { title: "Vorgaben setzen", what: "Setzt Schlüssel, die die Nachricht nicht hat." },
  coerce_types: { title: "Typen ändern", what: "Macht Zahlen, Texte, Wahrheitswerte oder JSON aus Werten." },
  copy_key: { title: "Schlüssel kopieren", what: "Gibt dem Wert eines Schlüssels einen zweiten Namen." },
  round_keys: { title: "Runden", what: "Rundet Zahlen. Weniger Stellen brauchen weniger Platz." },
  remove_empty: { title: "Leeres entfernen", what: "Entfernt leere Texte, Objekte und Listen." },
  map_values: { title: "Werte übersetzen", what: "Codes in Wörter, Wörter in Zahlen." },
  string_transform: { title: "Texte ändern", what: "Kürzt, schneidet, ersetzt, stellt voran." },
  conditional_drop: {
    title: "Bei Bedingung verwerfen",
    what: "Verwirft die Nachricht oder einzelne Schlüssel, wenn eine Bedingung gilt.",
  },
  webhook_forward: {
    title: "An Webhook weiterleiten",
    what: "Schickt die Nachricht, wie sie hier ist, an ein anderes Programm. Sie bleibt gespeichert, bis sie angenommen ist.",
  },
};

/** Help for fields by name, or by `type.name` where a name means different things. */
const enFields: Readonly<Record<string, string>> = {
  keys: "Press Enter to add a key. A * at the end matches any ending.",
  "rename_keys.mapping": "Old name on the left, new name on the right.",
  "map_values.mapping": "Value on the left (1, true, open), its translation on the right.",
  default: "Result for all other values. Without it, they stay as they are.",
  scope: "Scope of the attributes.",
  min: "Lowest value that is kept.",
  max: "Highest value that is kept.",
  action: "What to drop when a value is outside the range: the key (default) or the whole message.",
  factor: "1 by default.",
  offset: "Added after multiplying; 0 by default.",
  key: "Name of the key.",
  "map_values.key": "The key whose values are translated.",
  expression: 'For example round(voltage * current, 1) or temperature > 30 ? "hot" : "ok"',
  separator: "Separator between the names; a dot by default.",
  depth: "Number of levels to flatten; 10 by default.",
  values: "Key on the left, value on the right. 1 becomes a number, true a boolean, everything else a text.",
  types: "Key on the left, type on the right.",
  otherwise: "What to do with a value that cannot be converted.",
  from: "Key to copy.",
  to: "Name of the copy.",
  decimals: "Digits after the decimal point; 0 by default.",
  operation: "Operation on the texts.",
  search: "For replace: the text to replace, matched literally.",
  text: "For replace, prefix, suffix and pad_start: the text to insert.",
  start: "For substring: the first character; a negative number counts from the end.",
  end: "For substring: the character after the last one.",
  length: "For pad_start: total number of characters.",
  condition:
    'JSON: {"key": "status", "op": "EQ", "value": "off"}, or {"all": […]}, {"any": […]}, {"not": …}. EQ NE GT GE LT LE BETWEEN CONTAINS STARTS_WITH IN',
  "conditional_drop.keys": "Keys to drop. Without any, the whole message is dropped.",
  url: "http or https address of the other program.",
  method: "POST by default.",
  headers:
    "Name on the left, value on the right. Values of Authorization and the like are never shown again.",
  includeContext: "Device, tenant and profile are in the body.",
  timeoutMs: "For one attempt, in milliseconds; 10000 unless given.",
  secret: "Signs each request, so that the receiver can tell that it is yours. Never shown again.",
};

const deFields: Readonly<Record<string, string>> = {
  keys: "Eingabetaste fügt hinzu. Ein * am Ende steht für jedes Ende.",
  "rename_keys.mapping": "Links der alte Name, rechts der neue.",
  "map_values.mapping": "Links der Wert (1, true, open), rechts, was daraus wird.",
  default: "Für alle anderen Werte; leer lässt sie, wie sie sind.",
  scope: "Der Attribute.",
  min: "Der niedrigste Wert, der durchkommt.",
  max: "Der höchste Wert, der durchkommt.",
  action: "Was geht, wenn ein Wert außerhalb liegt: der Schlüssel (ohne Angabe) oder die ganze Nachricht.",
  factor: "1, wenn nichts angegeben ist.",
  offset: "Wird nach dem Multiplizieren dazugezählt; 0, wenn nichts angegeben ist.",
  key: "Name des Schlüssels.",
  "map_values.key": "Der Schlüssel, dessen Werte übersetzt werden.",
  expression: 'Zum Beispiel round(voltage * current, 1) oder temperature > 30 ? "hot" : "ok"',
  separator: "Zwischen den Namen; ein Punkt, wenn nichts angegeben ist.",
  depth: "Wie viele Ebenen aufgelöst werden; 10, wenn nichts angegeben ist.",
  values: "Links der Schlüssel, rechts der Wert: 1 und true, wie sie sind, alles andere ist Text.",
  types: "Links der Schlüssel, rechts der Typ.",
  otherwise: "Was aus einem Wert wird, der sich nicht ändern lässt.",
  from: "Der Schlüssel.",
  to: "Sein zweiter Name.",
  decimals: "Stellen nach dem Komma; 0, wenn nichts angegeben ist.",
  operation: "Was mit den Texten geschieht.",
  search: "Für replace: was ersetzt wird, wie es dasteht.",
  text: "Für replace, prefix, suffix und pad_start: was dort hinkommt.",
  start: "Für substring: das erste Zeichen, negativ vom Ende.",
  end: "Für substring: das Zeichen hinter dem letzten.",
  length: "Für pad_start: Zeichen insgesamt.",
  condition:
    'JSON: {"key": "status", "op": "EQ", "value": "off"} oder {"all": […]}, {"any": […]}, {"not": …}. EQ NE GT GE LT LE BETWEEN CONTAINS STARTS_WITH IN',
  "conditional_drop.keys": "Nur diese; die ganze Nachricht, wenn keine angegeben sind.",
  url: "http- oder https-Adresse des anderen Programms.",
  method: "POST, wenn nichts angegeben ist.",
  headers:
    "Links der Name, rechts der Wert. Werte von Authorization und Ähnlichem werden nie wieder gezeigt.",
  includeContext: "Gerät, Mandant und Profil stehen im Inhalt.",
  timeoutMs: "Für einen Versuch, in Millisekunden; 10000, wenn nichts angegeben ist.",
  secret:
    "Unterschreibt jede Anfrage, damit der Empfänger erkennt, dass sie von Ihnen ist. Wird nie wieder gezeigt.",
};

/** Names of fields in German. The API's own names are English words already. */
const deNames: Readonly<Record<string, string>> = {
  keys: "Schlüssel",
  mapping: "Zuordnung",
  default: "Standardwert",
  scope: "Art der Attribute",
  min: "Kleinster Wert",
  max: "Größter Wert",
  action: "Aktion",
  factor: "Faktor",
  offset: "Zuschlag",
  key: "Schlüssel",
  expression: "Ausdruck",
  separator: "Trennzeichen",
  depth: "Tiefe",
  values: "Werte",
  types: "Typen",
  otherwise: "Sonst",
  from: "Von",
  to: "Nach",
  decimals: "Nachkommastellen",
  operation: "Operation",
  search: "Suchtext",
  text: "Text",
  start: "Anfang",
  end: "Ende",
  length: "Länge",
  condition: "Bedingung",
  url: "Adresse",
  method: "Methode",
  headers: "Kopfzeilen",
  includeContext: "Mit Angaben zum Gerät",
  timeoutMs: "Zeitlimit (ms)",
  secret: "Geheimnis",
};

const enNames: Readonly<Record<string, string>> = { url: "URL", timeoutMs: "Timeout (ms)" };

/** Returns the name of a field in words: `includeContext` is "Include context" in English. */
export function fieldName(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const english = words.slice(0, 1).toUpperCase() + words.slice(1);
  return language.value === "de" ? (deNames[name] ?? english) : (enNames[name] ?? english);
}

/** Title and purpose of a type; one that this console does not know yet stands for itself. */
export function stepText(type: string, summary = ""): StepText {
  const texts: Readonly<Record<string, StepText>> = language.value === "de" ? de : en;
  return texts[type] ?? { title: type, what: summary };
}

export function fieldText(type: string, name: string, description: string | undefined): string | undefined {
  const texts = language.value === "de" ? deFields : enFields;
  return texts[`${type}.${name}`] ?? texts[name] ?? description;
}
