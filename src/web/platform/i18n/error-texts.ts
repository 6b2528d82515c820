import { signal } from "@preact/signals";
import { formatDigits } from "../../../lib/keys/key-format.ts";
import type { ErrorCode } from "../../../lib/texts/catalogues.ts";
import { type Catalogue, type ParamValue, renderText, type Text } from "../../../lib/texts/text.ts";
import { loadPart } from "../load-part.ts";
import { type Language, language } from "../preferences.ts";
import { redrawOn } from "../redraw-on.ts";
import { formatDate } from "./dates.ts";

/** Loads the server's texts by language: errors, events, and all others sent as a code and parameters. */
const LOADERS: Record<Language, () => Promise<Catalogue>> = {
  en: async () => (await import("../../../lib/texts/server.en.json")).default,
  de: async () => (await import("../../../lib/texts/server.de.json")).default,
} satisfies Record<Language, () => Promise<Readonly<Record<ErrorCode, string>>>>;

const catalogues = new Map<Language, Catalogue>();
const loading = new Map<Language, Promise<void>>();
/** Number of loaded catalogs; components that read it are drawn again. */
const arrived = signal(0);

async function fetchTexts(wanted: Language): Promise<void> {
  try {
    catalogues.set(wanted, await loadPart(LOADERS[wanted]));
    arrived.value++;
  } catch (error) {
    loading.delete(wanted);
    throw error;
  }
}

/** Loads the server's texts in a language. */
export function loadServerTexts(wanted: Language): Promise<void> {
  const pending = loading.get(wanted) ?? fetchTexts(wanted);
  loading.set(wanted, pending);
  return pending;
}

/** Puts names in quotation marks; backticks are for terminals and programs. */
const withQuotes = (text: string): string => text.replaceAll("`", '"');

/** Adds a capital letter and a full stop. */
function asSentence(plain: string): string {
  const text = withQuotes(plain);
  const first = text.slice(0, 1).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(first) ? first : `${first}.`;
}

/** Returns the texts in the user's language; undefined until they are loaded. */
function currentCatalogue(): Catalogue | undefined {
  redrawOn(arrived);
  const catalogue = catalogues.get(language.value);
  if (catalogue === undefined) loadServerTexts(language.value).catch(() => undefined);
  return catalogue;
}

/** Returns a text in the user's language, or the server's `english` if the catalog is not loaded or the code is newer. */
function render(text: Text, english: string): string {
  const catalogue = currentCatalogue();
  return catalogue !== undefined && Object.hasOwn(catalogue, text.code)
    ? renderText(catalogue, localized(text))
    : english;
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** Parameters that are counts. Other numbers, such as ports and codes, have no thousands separators. */
const COUNTS: ReadonlySet<string> = new Set(["changes", "count", "devices", "messages"]);

function localizedValue(name: string, value: ParamValue): ParamValue {
  if (isText(value)) return localized(value);
  if (typeof value === "string" && ISO_TIME.test(value)) return formatDate(Date.parse(value), "full");
  return typeof value === "number" && COUNTS.has(name) ? formatDigits(value, language.value) : value;
}

/** Formats times and counts within a text. */
const localized = ({ code, params }: Text): Text => ({
  code,
  params: Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, localizedValue(name, value)]),
  ),
});

/** Returns a text of the server in the user's language as a sentence. */
export const serverText = (text: Text, english = text.code): string => asSentence(render(text, english));

/** Returns the text for use within a sentence. */
export const serverPhrase = (text: Text, english = text.code): string => withQuotes(render(text, english));

const isText = (value: unknown): value is Text =>
  typeof value === "object" && value !== null && "code" in value && "params" in value;

/** Returns the error of a field, without the field's name at the beginning: the form shows it next to the field. */
export function ruleText(text: Text, field: string, english = text.code): string {
  const rule = text.params.rule ?? text.params.reason;
  if (isText(rule)) return ruleText(rule, field, english);
  const whole = render(text, english);
  const name = `\`${field}\` `;
  return asSentence(whole.startsWith(name) ? whole.slice(name.length) : whole);
}

/** Fields of forms that errors without a parameter `field` belong to. */
const fieldsByCode: Readonly<Record<string, string>> = {
  "api_key.name_taken": "name",
  "device.child_name_taken": "childName",
  "modbus.name_taken": "name",
  "s7.name_taken": "name",
  "bacnet.name_taken": "name",
  "opcua.name_taken": "name",
  "password.long": "newPassword",
  "password.same": "newPassword",
  "password.short": "newPassword",
  "password.weak": "newPassword",
  "profile.name_taken": "name",
  "second_factor.code_wrong": "code",
  "user.email_taken": "email",
} satisfies Partial<Record<ErrorCode, string>>;

/** Returns the name, in the request, of the field that a text is about. */
export function fieldOf({ code, params }: Text): string | undefined {
  if (isText(params.action) && params.action.code === "action.schedule_all_devices_type") return "deviceType";
  return typeof params.field === "string" ? params.field : fieldsByCode[code];
}

/** Returns the text of a code without parameters, for a list of codes: "…" stands for a parameter. Returns the code itself if it has no text. */
export function codeLabel(code: string): string {
  const catalogue = currentCatalogue();
  const template = catalogue !== undefined && Object.hasOwn(catalogue, code) ? catalogue[code] : undefined;
  const label = template?.replaceAll(/\{\w+\}/g, "…").replace(/: …\.?$/, "") ?? "";
  return /\p{L}/u.test(label) ? asSentence(label) : code;
}

/** Returns the server's text of a code that the console knows. */
export const codeText = (code: ErrorCode): string => serverText({ code, params: {} });
