import { language } from "../../platform/preferences.ts";

interface StepText {
  readonly title: string;
  readonly what: string;
}

/** By type; here rather than in the catalogue, which everybody loads at the start. */
const en = {
  rename_keys: { title: "Rename keys", what: "Gives keys other names." },
  change_scope: {
    title: "Make attributes",
    what: "Stores keys as attributes of the device instead of telemetry.",
  },
  filter_range: {
    title: "Filter by range",
    what: "Takes away numbers outside of a range, as broken sensors send them.",
  },
  pick_keys: { title: "Keep only some keys", what: "Takes all other keys away." },
  drop_keys: { title: "Drop keys", what: "Takes keys away." },
  scale_keys: { title: "Scale", what: "Multiplies numbers and adds to them: from raw counts to units." },
  derive_key: { title: "Derive a key", what: "Reckons a key from others by an expression." },
  flatten_object: { title: "Flatten objects", what: "Makes keys of what lies in an object: a.b for b in a." },
  clamp_range: { title: "Clamp", what: "Brings numbers outside of a range to its ends." },
  set_default: { title: "Set defaults", what: "Sets keys that the message does not have." },
  coerce_types: { title: "Change types", what: "Makes numbers, texts, booleans or JSON of values." },
  copy_key: { title: "Copy a key", what: "Gives the value of a key a second name." },
  round_keys: { title: "Round", what: "Rounds numbers. Fewer digits take less room on the disk." },
  remove_empty: { title: "Remove empty values", what: "Takes away empty texts, objects and lists." },
  map_values: { title: "Translate values", what: "Codes to words, words to numbers." },
  string_transform: { title: "Change texts", what: "Trims, cuts, replaces, prefixes." },
  conditional_drop: {
    title: "Drop on a condition",
    what: "Drops the message, or some keys of it, when a condition holds.",
  },
  webhook_forward: {
    title: "Forward to a webhook",
    what: "Posts the message, as it is here, to another program. It is kept until it is taken.",
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
  keys: "Enter adds one. A * at the end stands for any end.",
  "rename_keys.mapping": "Old name on the left, new name on the right.",
  "map_values.mapping": "The value on the left (1, true, open), what it becomes on the right.",
  default: "For all other values; empty leaves them as they are.",
  scope: "Of the attributes.",
  min: "The lowest that is let through.",
  max: "The highest that is let through.",
  action: "What goes when a value is outside: the key (unless given), or the whole message.",
  factor: "1 unless given.",
  offset: "Added after multiplying; 0 unless given.",
  key: "Name of the key.",
  "map_values.key": "The key whose values are translated.",
  expression: 'For example round(voltage * current, 1) or temperature > 30 ? "hot" : "ok"',
  separator: "Between the names; a dot unless given.",
  depth: "How many levels are opened; 10 unless given.",
  values: "Key on the left, value on the right: 1 and true as they are, everything else is a text.",
  types: "Key on the left, type on the right.",
  otherwise: "What becomes of a value that cannot be changed.",
  from: "The key.",
  to: "Its second name.",
  decimals: "Digits behind the point; 0 unless given.",
  operation: "What is done with the texts.",
  search: "For replace: what is replaced, as it is written.",
  text: "For replace, prefix, suffix and pad_start: what is put there.",
  start: "For substring: the first character, negative from the end.",
  end: "For substring: the character behind the last.",
  length: "For pad_start: characters in all.",
  condition:
    'JSON: {"key": "status", "op": "EQ", "value": "off"}, or {"all": […]}, {"any": […]}, {"not": …}. EQ NE GT GE LT LE BETWEEN CONTAINS STARTS_WITH IN',
  "conditional_drop.keys": "Only these; the whole message when there are none.",
  url: "http or https address of the other program.",
  method: "POST unless given.",
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

/** Title and purpose of a type; one that this console does not know yet stands for itself. */
export function stepText(type: string, summary = ""): StepText {
  const texts: Readonly<Record<string, StepText>> = language.value === "de" ? de : en;
  return texts[type] ?? { title: type, what: summary };
}

export function fieldText(type: string, name: string, description: string | undefined): string | undefined {
  const texts = language.value === "de" ? deFields : enFields;
  return texts[`${type}.${name}`] ?? texts[name] ?? description;
}
