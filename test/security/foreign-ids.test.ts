// Ids in request bodies and queries: what is another tenant's, or not granted, is answered exactly like what does not exist.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { newId } from "../../src/platform/core/ids.ts";
import type { Ids } from "../api/route-policies.ts";
import { createTenantObjects } from "../api/tenant-objects.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Record<string, Schema>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

interface Operation {
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: { readonly content: Record<string, { schema: Schema; example?: unknown }> };
}

/** A place of an id: a name in the query, or the names on the way to it in the body ("[]" for an item). */
interface Place {
  readonly method: string;
  readonly path: string;
  readonly fieldPath: readonly string[];
  readonly isQuery: boolean;
  readonly example: unknown;
}

const ID_NAME = /(?:Id|Ids)$/;
/** Kind of object by the name of the field; fields that name nothing of a tenant are left out. */
const kinds: Readonly<Record<string, keyof Ids>> = {
  deviceId: "deviceId",
  deviceIds: "deviceId",
  parentDeviceId: "deviceId",
  gatewayId: "deviceId",
  profileId: "profileId",
  profileIds: "profileId",
  targetDashboardId: "dashboardId",
  dashboardId: "dashboardId",
  dashboardIds: "dashboardId",
  codecId: "codecId",
  integrationId: "integrationId",
  pipelineId: "pipelineId",
  uplinkId: "uplinkId",
  apiKeyId: "apiKeyId",
  alarmIds: "alarmId",
  recipientIds: "userId",
  targetUserId: "userId",
  actorId: "userId",
  subjectId: "deviceId",
  targetId: "apiKeyId",
};

let fixture: TestApp;
let ids: Ids;
let own: Ids;
let stranger: string;
let granted: Ids;
let limited: string;

beforeAll(async () => {
  fixture = await createTestApp({ config: { outbound_allow: "127.0.0.1" } });
  const owner = await fixture.signIn("TENANT_OWNER");
  ids = await createTenantObjects(fixture, owner);
  const two = await fixture.signIn("TENANT_OWNER", { tenant: "two" });
  stranger = two.token;
  own = await createTenantObjects(fixture, { ...two, label: "two" });
  const { deviceId } = await fixture.createDevice(owner.token, { name: "granted" });
  limited = (await fixture.signIn("TENANT_RW", { devices: [deviceId] })).token;
  granted = { ...ids, deviceId };
});
afterAll(() => fixture.stop());

function placesIn(document: { paths: Record<string, Record<string, Operation>> }): Place[] {
  const places: Place[] = [];
  const resolve = (ref: string): Schema =>
    ref
      .split("/")
      .slice(1)
      .reduce(
        (part, name) => (part as Record<string, unknown>)[name.replaceAll("~1", "/")],
        document as unknown,
      ) as Schema;
  for (const [path, operations] of Object.entries(document.paths))
    for (const [name, { parameters = [], requestBody }] of Object.entries(operations)) {
      const method = name.toUpperCase();
      const add = (fieldPath: readonly string[], isQuery: boolean, example?: unknown) =>
        void (
          kinds[fieldPath.at(-1) === "[]" ? (fieldPath.at(-2) ?? "") : (fieldPath.at(-1) ?? "")] !==
            undefined && places.push({ method, path, fieldPath, isQuery, example })
        );
      for (const parameter of parameters) if (parameter.in === "query") add([parameter.name], true);
      const content = requestBody?.content["application/json"];
      const created = operations.post ?? document.paths[path.replace(/\/\{\w+\}$/, "")]?.post;
      const whole = created?.requestBody?.content["application/json"]?.example;
      const exampleFor = ([first = ""]: readonly string[]) => {
        const { example } = content ?? {};
        const isThere = typeof example !== "object" || example === null || first in example;
        const other = whole as Record<string, unknown> | undefined;
        return isThere || method !== "PATCH" || other?.[first] === undefined
          ? example
          : { ...example, [first]: other[first] };
      };
      const walk = (schema: Schema, fieldPath: readonly string[], refs: readonly string[]): void => {
        if (schema.$ref !== undefined) {
          if (!refs.includes(schema.$ref)) walk(resolve(schema.$ref), fieldPath, [...refs, schema.$ref]);
          return;
        }
        for (const member of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])])
          walk(member, fieldPath, refs);
        for (const [field, inner] of Object.entries(schema.properties ?? {})) {
          const isList = inner.type === "array" || /Ids$/.test(field);
          if (ID_NAME.test(field))
            add([...fieldPath, field, ...(isList ? ["[]"] : [])], false, exampleFor([...fieldPath, field]));
          walk(inner, [...fieldPath, field], refs);
        }
        if (schema.items !== undefined) walk(schema.items, [...fieldPath, "[]"], refs);
      };
      if (content !== undefined) walk(content.schema, [], []);
    }
  const byText = new Map(
    places.map((place) => [`${place.method} ${place.path} ${place.fieldPath.join(".")}`, place]),
  );
  return [...byText.values()];
}

/** Fields that objects of this name need in addition to an id. */
const companions: Readonly<Record<string, object>> = {
  actions: { on: "CREATED", type: "command", command: { method: "reboot" } },
  aliases: { id: "a", name: "a", type: "singleDevice" },
  rotation: { seconds: 60 },
  selection: { deviceTypes: [], tags: [], profileIds: [] },
  pins: { key: "a" },
  action: { type: "command", command: { method: "reboot" } },
};

/** A copy of a value with something else at a place; what is missing on the way is created. */
function withAt(value: unknown, [name, ...rest]: readonly string[], inner: unknown, parent = ""): unknown {
  if (name === undefined) return inner;
  if (name === "[]") {
    const [first, ...others] = Array.isArray(value) ? value : [];
    return [withAt(first, rest, inner, parent), ...others];
  }
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  const object = { ...(companions[parent] ?? {}), ...(isObject ? value : {}) };
  return { ...object, [name]: withAt((object as Record<string, unknown>)[name], rest, inner, name) };
}

/** The example with the caller's own ids in place of made-up ones. */
function filled(value: unknown, own: Ids, name = ""): unknown {
  const kind = kinds[name];
  if (typeof value === "string" && kind !== undefined) return own[kind];
  if (Array.isArray(value)) return value.map((item) => filled(item, own, name));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, filled(inner, own, key)]));
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** An answer without what differs between any two requests. */
const comparable = (text: string) =>
  text
    .replaceAll(UUID, "ID")
    .replaceAll(/lsk_\w+|"(?:key|token|password|secret|keyHint|url)":"[^"]*"/g, "SECRET")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z|\d{13}/g, "TIME")
    .replaceAll(/name ?\d+/g, "NAME")
    .replaceAll(/"isDefault":\w+/g, "IS_DEFAULT")
    .replaceAll(/"values":\{[^}]*\}/g, "READINGS"); // of a generator

let names = 0;
async function response(
  { method, path, fieldPath, isQuery, example }: Place,
  id: string,
  caller: { token: string; own: Ids },
) {
  const filledPath = path.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => caller.own[name as keyof Ids] ?? "SHARED",
  );
  const url = isQuery
    ? `${filledPath}?${fieldPath[0]}=${id}${fieldPath[0] === "subjectId" ? "&subject=device" : ""}`
    : filledPath;
  const named = withAt(filled(example ?? {}, caller.own), fieldPath, id) as Record<string, unknown>;
  const unique = { name: `name ${++names}`, username: `name ${names}`, email: `name${names}@two.example` };
  const body = Object.fromEntries(
    Object.entries(named).map(([field, value]) => [field, unique[field as keyof typeof unique] ?? value]),
  );
  const { status, text } = await fixture.call(method, url, {
    token: caller.token,
    ...(!isQuery && { body }),
  });
  return { status, text: comparable(text) };
}

/** Routes of the operator and of links, and the second form of an import, which the example does not have. */
const isLeftOut = ({ path, fieldPath }: Place): boolean =>
  /^\/api\/(?:gateway|shared)/.test(path) ||
  (path === "/api/dashboards/import" && fieldPath[0] === "dashboard");

test("an id that is not the caller's is answered like one that does not exist", async () => {
  const { body: document } = await fixture.call("GET", "/docs/json");
  const places = placesIn(document).filter((place) => !isLeftOut(place));
  expect(places.length).toBeGreaterThan(100);
  const differing: unknown[] = [];
  /** Answers to unknown ids, by status. */
  const statuses = new Map<number, number>();
  for (const place of places) {
    const name = place.fieldPath.findLast((part) => part !== "[]") ?? "";
    const kind = kinds[name] as keyof Ids;
    const callers = [
      { token: stranger, own, foreign: ids[kind] },
      ...(kind === "deviceId" ? [{ token: limited, own: granted, foreign: ids.deviceId }] : []),
    ];
    for (const caller of callers) {
      if (place.method === "DELETE" && !place.isQuery) continue;
      const unknown = await response(place, newId(), caller);
      const foreign = await response(place, caller.foreign, caller);
      statuses.set(unknown.status, (statuses.get(unknown.status) ?? 0) + 1);
      if (unknown.status !== foreign.status || unknown.text !== foreign.text)
        differing.push({
          place: `${place.method} ${place.path} ${place.fieldPath.join(".")}`,
          unknown,
          foreign,
        });
    }
  }
  expect(differing).toEqual([]);
  // Most bodies get as far as the id.
  expect((statuses.get(200) ?? 0) + (statuses.get(201) ?? 0)).toBeGreaterThan(80);
  expect(statuses.get(404)).toBeGreaterThan(20);
});
