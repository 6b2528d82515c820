import { TAGS_MAX } from "../../lib/console/form-limits.ts";
import { positionKeys } from "../../lib/console/web-mercator.ts";
import { WIDGET_KEYS_MAX, widgetKeys } from "../../lib/console/widget-keys.ts";
import { DomainError, detail } from "../../lib/core/domain-error.ts";
import { isJsonObject } from "../../lib/json/json.ts";
import { excerpt } from "../../lib/strings/excerpt.ts";
import { isName } from "../api/wire.schemas.ts";
import { dashboardInvalid } from "./dashboards.errors.ts";
import type { DashboardChanges } from "./dashboards.resource.ts";
import { type Alias, DASHBOARD_TYPES, type Item, type Widget } from "./dashboards.types.ts";

/*
 * Validates dashboards. States, layout, widgets and aliases are lists of objects or strings. Objects are checked. Strings are stored unchanged;
 * a string with the JSON of an item counts as that item.
 */

const ITEMS_MAX = 500;
const ALIASES_MAX = 100;
const ALIAS_DEVICES_MAX = 1_000;
/** Max. keys per widget. */
const NAME_MAX = 256;
const BYTES_MAX = 900 * 1024;

/** Max. objects, lists and scalars of a dashboard, which is traversed several times without a pause when saved. */
const PARTS_MAX = 30_000;

type Fields = Readonly<Record<string, unknown>>;

/** Returns whether a JSON value has more parts than `max`. */
function hasMoreParts(input: unknown, max: number): boolean {
  const open: unknown[] = [input];
  let count = 0;
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    count++;
    const inner = typeof part === "object" && part !== null ? Object.values(part) : [];
    if (count + open.length + inner.length > max) return true;
    open.push(...inner);
  }
  return false;
}

/** Returns the object, or the object in a JSON string; undefined for anything else. */
function parseItem(item: unknown): Fields | undefined {
  let value = item;
  if (typeof item === "string")
    try {
      value = JSON.parse(item);
    } catch {
      return undefined;
    }
  return isJsonObject(value) ? value : undefined;
}

/** @throws DomainError `invalid` if the item is neither an object nor a JSON string of one */
export function objectOf(item: unknown, where: string): Fields {
  const fields = parseItem(item);
  if (fields === undefined) throw dashboardInvalid(where, detail("rule.object_or_json"));
  return fields;
}

function ensureText(fields: Fields, name: string, where: string): string {
  const value = fields[name];
  if (typeof value !== "string" || value.length > NAME_MAX)
    throw dashboardInvalid(`${where}.${name}`, detail("rule.text_max", { max: NAME_MAX }));
  return value;
}

function ensureNumbers(fields: Fields, names: readonly string[], where: string): void {
  for (const name of names)
    if (typeof fields[name] !== "number" || !Number.isFinite(fields[name]))
      throw dashboardInvalid(`${where}.${name}`, detail("rule.number"));
}

function checkState(fields: Fields, where: string): string {
  ensureText(fields, "name", where);
  return ensureText(fields, "id", where);
}

function checkPlace(fields: Fields, where: string): undefined {
  ensureText(fields, "i", where);
  ensureNumbers(fields, ["x", "y", "w", "h"], where);
}

function checkWidget(fields: Fields, where: string): string {
  for (const name of ["type", "name"]) ensureText(fields, name, where);
  if (!isJsonObject(fields.config)) throw dashboardInvalid(`${where}.config`, detail("rule.object"));
  if (fields.dashboardStateId !== undefined) ensureText(fields, "dashboardStateId", where);
  return ensureText(fields, "widgetId", where);
}

function checkAlias(fields: Fields, where: string): string {
  for (const place of [fields, fields.config, fields.filter])
    if (isJsonObject(place) && Array.isArray(place.deviceIds) && place.deviceIds.length > ALIAS_DEVICES_MAX)
      throw dashboardInvalid(`${where}.deviceIds`, detail("rule.at_most", { max: ALIAS_DEVICES_MAX }));
  for (const name of ["name", "type"]) ensureText(fields, name, where);
  return ensureText(fields, "id", where);
}

/** Parses a single alias, whose id and name are optional. @throws DomainError `invalid` */
export function selectorOf(input: unknown): Alias {
  const alias = { id: "", name: "", type: "", ...objectOf(input, "alias") };
  for (const name of ["id", "name", "type"]) ensureText(alias, name, "alias");
  return alias as Alias; // just checked
}

const lists = { states: checkState, layout: checkPlace, widgets: checkWidget, aliases: checkAlias } as const;

function checkList(
  name: keyof typeof lists,
  input: unknown,
  check: (fields: Fields, where: string) => string | undefined,
): readonly Item[] {
  if (!Array.isArray(input)) throw dashboardInvalid(name, detail("rule.list"));
  const max = name === "aliases" ? ALIASES_MAX : ITEMS_MAX;
  if (input.length > max) throw dashboardInvalid(name, detail("rule.at_most", { max }));
  const ids = new Set<string>();
  for (const [index, item] of input.entries()) {
    if (typeof item === "string") continue;
    const where = `${name}[${index}]`;
    if (!isJsonObject(item)) throw dashboardInvalid(where, detail("rule.object_or_text"));
    const id = check(item, where);
    if (id === undefined) continue;
    if (ids.has(id)) throw dashboardInvalid(where, detail("rule.id_twice", { id: excerpt(id) }));
    ids.add(id);
  }
  return input;
}

function ensureFields(name: string, input: unknown): Fields | null {
  if (input === null) return null;
  if (!isJsonObject(input)) throw dashboardInvalid(name, detail("rule.object"));
  return input;
}

function ensureTags(input: unknown): readonly string[] {
  if (!Array.isArray(input)) throw dashboardInvalid("tags", detail("rule.list"));
  const { items, length } = TAGS_MAX;
  if (input.length > items) throw dashboardInvalid("tags", detail("rule.at_most", { max: items }));
  for (const [index, tag] of input.entries())
    if (typeof tag !== "string" || !isName(tag, length))
      throw dashboardInvalid(`tags[${index}]`, detail("rule.name", { max: length }));
  return [...new Set<string>(input)];
}

function ensureName(input: unknown): string {
  if (typeof input !== "string" || !isName(input, NAME_MAX))
    throw dashboardInvalid("name", detail("rule.name", { max: NAME_MAX }));
  return input;
}

/** Parses the given fields of a dashboard; missing fields are left out. @throws DomainError `invalid` that names the field */
export function parseDashboard(input: unknown): DashboardChanges {
  if (!isJsonObject(input)) throw dashboardInvalid("dashboard", detail("rule.object"));
  if (Buffer.byteLength(JSON.stringify(input)) > BYTES_MAX)
    throw dashboardInvalid("dashboard", detail("rule.more_than_bytes", { max: BYTES_MAX }));
  if (hasMoreParts(input, PARTS_MAX))
    throw dashboardInvalid("dashboard", detail("rule.parts_max", { max: PARTS_MAX }));
  const { name, type, timeWindow, configuration, settings, tags } = input;
  const wanted = DASHBOARD_TYPES.find((dashboardType) => dashboardType === type);
  if (type !== undefined && wanted === undefined)
    throw dashboardInvalid("type", detail("rule.must_be_type", { types: DASHBOARD_TYPES.join(" or ") }));
  const checked = Object.entries(lists).flatMap(([list, check]) =>
    input[list] === undefined ? [] : [[list, checkList(list as keyof typeof lists, input[list], check)]],
  );
  return {
    ...(name !== undefined && { name: ensureName(name) }),
    ...(wanted !== undefined && { type: wanted }),
    ...(tags !== undefined && { tags: ensureTags(tags) }),
    ...Object.fromEntries(checked),
    ...(timeWindow !== undefined && { timeWindow: ensureFields("timeWindow", timeWindow) }),
    ...(configuration !== undefined && { configuration: ensureFields("configuration", configuration) }),
    ...(settings !== undefined && { settings: ensureFields("settings", settings) }),
  };
}

function isValid(name: keyof typeof lists, fields: Fields): boolean {
  try {
    lists[name](fields, name);
    return true;
  } catch (error) {
    if (error instanceof DomainError) return false;
    throw error;
  }
}

/** Reads the items of a stored list. Items with invalid JSON or a repeated id are left out. */
function readItems(
  name: "widgets" | "aliases",
  idField: "widgetId" | "id",
  items: readonly Item[],
): Fields[] {
  const found = new Map<unknown, Fields>();
  for (const item of items) {
    const fields = parseItem(item);
    if (fields === undefined || found.has(fields[idField]) || !isValid(name, fields)) continue;
    found.set(fields[idField], fields);
  }
  return [...found.values()];
}

export const widgetsOf = (items: readonly Item[]): Widget[] =>
  readItems("widgets", "widgetId", items) as unknown as Widget[]; // just checked
export const aliasesOf = (items: readonly Item[]): Alias[] => readItems("aliases", "id", items) as Alias[]; // just checked

/** Returns the alias that a widget names by id or name; undefined for a widget without devices. */
export function aliasOf(aliases: readonly Alias[], { config }: Widget): Alias | undefined {
  const wanted = config.aliasId ?? config.alias;
  return typeof wanted === "string"
    ? aliases.find(({ id, name }) => id === wanted || name === wanted)
    : undefined;
}

/** Returns whether a widget has its own time window. */
export const hasOwnWindow = ({ config }: Widget): boolean => isJsonObject(config.timeWindow);

/** Returns the time zone of a widget that compares with the previous year; undefined for any other. */
export function yearZoneOf({ config }: Widget): string | undefined {
  if (config.compare !== "year") return undefined;
  return typeof config.timezone === "string" ? config.timezone : "UTC";
}

/** Returns the distinct keys of a widget; for a map, including the position keys. */
export function keysOf({ config, type }: Widget): string[] {
  const positions = type === "map" ? positionKeys(config) : [];
  return [...new Set([...positions, ...widgetKeys(config)])].slice(0, WIDGET_KEYS_MAX);
}
