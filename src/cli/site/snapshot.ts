import { GATEWAY_DEVICE_TYPE } from "../../lib/devices/gateway-device.ts";
import type { ApiClient } from "../api-client.ts";
import { listAll } from "./list-all.ts";
import { expressionOf, type ReferenceKind, withNames } from "./references.ts";
import type { Section } from "./section.types.ts";
import { sections } from "./sections.ts";
import { type FieldPath, type Fields, formatPath, isFields } from "./site.types.ts";

/** Sections with `{kept: …}` instead of a secret. Sending it back keeps the secret. */
const SECTIONS_WITH_MARKS = [
  "integrations",
  "messengers",
  "opcuaConnections",
  "pipelines",
  "uplinks",
  "mail",
  "backup",
];

/** Returns whether a value is the placeholder of a secret. The API of notifications shows null for a header with a secret. */
const isMark = (section: string, path: FieldPath, value: unknown): boolean =>
  section === "notifications"
    ? value === null && path[0] === "messaging" && path[1] === "headers"
    : SECTIONS_WITH_MARKS.includes(section) && isFields(value) && Object.hasOwn(value, "kept");

/** Returns a function that gives each secret of a site a unique name, in the form of environment variables. */
export function createSecretNames() {
  const used = new Set<string>();
  return (section: string, key: string, path: FieldPath): string => {
    // Without list positions, so that a step keeps the name of its secret if a step is inserted before it.
    const fields = path.filter((part) => typeof part === "string" && part !== "settings_json");
    const parts = [section, key, ...fields];
    const base = parts
      .join("_")
      .replace(/[^A-Za-z0-9]+/g, "_")
      .toUpperCase();
    let name = base;
    for (let number = 2; used.has(name); number++) name = `${base}_${number}`;
    used.add(name);
    return name;
  };
}

/** Replaces each secret in the fields by a name, and returns the placeholders that keep the secrets. */
export function maskSecrets(
  fields: Fields,
  of: { section: string; key: string; secretNames: ReturnType<typeof createSecretNames> },
): { fields: Fields; marks: ReadonlyMap<string, unknown> } {
  const marks = new Map<string, unknown>();
  function mask(value: unknown, path: FieldPath): unknown {
    if (isMark(of.section, path, value)) {
      const name = of.secretNames(of.section, of.key, path);
      marks.set(name, value);
      marks.set(formatPath(path), value);
      return expressionOf("secret", name);
    }
    if (Array.isArray(value)) return value.map((item, index) => mask(item, [...path, index]));
    if (!isFields(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, mask(inner, [...path, name])]),
    );
  }
  return { fields: mask(fields, []) as Fields, marks }; // an object stays an object
}

const REQUESTS_PARALLEL_MAX = 8;

/** Object of a gateway in the form of a site file. */
export interface CurrentObject {
  readonly key: string;
  readonly id: string;
  readonly fields: Fields;
  /** Placeholders that keep a secret when they are sent back, by the names of the secrets. */
  readonly marks: ReadonlyMap<string, unknown>;
  readonly isExported: boolean;
}

/** Content of a gateway by section and name. */
export interface Snapshot {
  /** Objects by section; several objects per name if the gateway allows it. */
  readonly objects: ReadonlyMap<string, ReadonlyMap<string, readonly CurrentObject[]>>;
  /** Returns the ids of the objects with a name. */
  idsOf(kind: ReferenceKind, name: string): readonly string[];
  namesOf(kind: ReferenceKind): readonly string[];
  /** Profile of the device that represents the gateway, if it has one. */
  readonly ownProfileId: unknown;
  /** Names in references that several objects share. */
  readonly ambiguous: ReadonlySet<string>;
}

async function listRows(api: ApiClient, { key, path, list }: Section): Promise<Fields[]> {
  if (list !== undefined) return list(api);
  return key === undefined ? [await api.get<Fields>(path)] : listAll(api, path);
}

async function readDetails(api: ApiClient, section: Section, rows: readonly Fields[]): Promise<Fields[]> {
  const { detailPath } = section;
  if (detailPath === undefined) return [...rows];
  const detailed: Fields[] = [];
  for (let start = 0; start < rows.length; start += REQUESTS_PARALLEL_MAX) {
    const batch = rows.slice(start, start + REQUESTS_PARALLEL_MAX);
    detailed.push(
      ...(await Promise.all(batch.map((row) => api.get<Fields>(detailPath(String(row[section.id])))))),
    );
  }
  return detailed;
}

/** Collects the names of objects by id, and the ids by name. */
class Names {
  readonly #expressions = new Map<string, string>();
  /** Ids by kind and name. */
  readonly #ids = new Map<ReferenceKind, Map<string, string[]>>();
  readonly ambiguous = new Set<string>();
  ownProfileId: unknown;

  add(kind: ReferenceKind, name: string, id: string): void {
    this.#expressions.set(id.toLowerCase(), expressionOf(kind, name));
    const ofKind = this.#ids.get(kind) ?? new Map<string, string[]>();
    this.#ids.set(kind, ofKind.set(name, [...(ofKind.get(name) ?? []), id]));
  }

  addAll({ key, kind, id }: Section, rows: readonly Fields[]): void {
    if (kind === undefined || key === undefined) return;
    for (const row of rows) this.add(kind, String(row[key]), String(row[id]));
    if (kind === "device")
      this.ownProfileId = rows.find(({ deviceType }) => deviceType === GATEWAY_DEVICE_TYPE)?.profileId;
  }

  idsOf = (kind: ReferenceKind, name: string): readonly string[] => this.#ids.get(kind)?.get(name) ?? [];
  namesOf = (kind: ReferenceKind): readonly string[] => [...(this.#ids.get(kind)?.keys() ?? [])];

  expressionOfId = (id: string): string | undefined => {
    const expression = this.#expressions.get(id);
    const [, kind, name] = /^\$\{(\w+):(.*)\}$/s.exec(expression ?? "") ?? [];
    if (name !== undefined && this.idsOf(kind as ReferenceKind, name).length > 1)
      this.ambiguous.add(`${kind} "${name}"`);
    return expression;
  };
}

/** Returns the fields that a file may contain, without empty ones. */
function pickFields({ schema, key, exclusive = [] }: Section, object: Fields): Fields {
  const names = new Set([...(key === undefined ? [] : [key]), ...Object.keys(schema.properties)]);
  const present = [...names].filter((name) => {
    const value = object[name];
    return value !== undefined && value !== null && !(exclusive.includes(name) && value === false);
  });
  return Object.fromEntries(present.map((name) => [name, object[name]]));
}

/** Sorts lists whose order is by id, because ids differ between gateways. */
const inOrder = (fields: Fields, { unordered = [] }: Section): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      unordered.includes(name) && Array.isArray(value) ? value.toSorted() : value,
    ]),
  );

/** Returns the rows of the selected sections, and collects the names of all. */
async function readRows(
  api: ApiClient,
  isWanted: (section: Section) => boolean,
  names: Names,
): Promise<Map<Section, readonly Fields[]>> {
  const rowsOf = new Map<Section, readonly Fields[]>();
  for (const section of sections) {
    if (section.kind === undefined && !isWanted(section)) continue;
    const rows = await listRows(api, section);
    names.addAll(section, rows);
    if (isWanted(section)) rowsOf.set(section, await readDetails(api, section, rows));
  }
  return rowsOf;
}

/** Reads a gateway. Of other sections it reads only the names. */
export async function readSnapshot(
  api: ApiClient,
  isWanted: (section: Section) => boolean,
): Promise<Snapshot> {
  const names = new Names();
  const rowsOf = await readRows(api, isWanted, names);
  const secretNames = createSecretNames();
  function toObject(section: Section, object: Fields, isExported: boolean): CurrentObject {
    const named = withNames(pickFields(section, object), names.expressionOfId);
    const all = isFields(named) ? inOrder(named, section) : {};
    const fields = section.withoutLost?.(all) ?? all;
    const key = section.key === undefined ? "" : String(fields[section.key]);
    const masked = maskSecrets(fields, { section: section.name, key, secretNames });
    return { key, id: String(object[section.id]), ...masked, isExported };
  }
  const objects = [...rowsOf].map(([section, rows]) => {
    const own = rows.flatMap((row) => {
      const object = section.toFields === undefined ? row : section.toFields(row);
      return object === false ? [] : [toObject(section, object, section.isExported?.(row) ?? true)];
    });
    return [section.name, Map.groupBy(own, ({ key }) => key)] as const;
  });
  return {
    objects: new Map(objects),
    idsOf: names.idsOf,
    namesOf: names.namesOf,
    ambiguous: names.ambiguous,
    ownProfileId: names.ownProfileId,
  };
}
