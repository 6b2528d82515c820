// Fields that a schema does not name, at every depth of every request body.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { TSchema } from "@sinclair/typebox";
import { unknownField } from "../../src/http/unknown-fields.ts";
import { DOCUMENTED_AS } from "../../src/modules/api/documented-as.ts";
import type { Ids } from "../api/route-policies.ts";
import { createTenantObjects } from "../api/tenant-objects.ts";
import { jsonRoutes } from "../support/json-routes.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

const UNKNOWN = "misspelt";

type Schema = Readonly<Record<string, unknown>>;
type Path = ReadonlyArray<string | number>;

let fixture: TestApp;
let token: string;
let ids: Ids;

beforeAll(async () => {
  fixture = await createTestApp({ config: { outbound_allow: "127.0.0.1" } });
  const owner = await fixture.signIn("TENANT_OWNER");
  token = owner.token;
  ids = await createTenantObjects(fixture, owner);
});
afterAll(() => fixture.stop());

const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null;
const listOf = (value: unknown): Schema[] => (Array.isArray(value) ? value.filter(isSchema) : []);

/** An object of a schema with one unknown field, in the objects and lists that lead to it. */
interface Misspelt {
  readonly body: unknown;
  readonly pointer: string;
}

/** Yields a body for each object with named fields in a schema. `wrap` puts an object into its place in the body. */
function* misspeltIn(
  schema: Schema,
  wrap: (inner: unknown) => unknown = (inner) => inner,
  path: Path = [],
): Generator<Misspelt> {
  if (DOCUMENTED_AS in schema) return; // the service checks it
  for (const member of [...listOf(schema.anyOf), ...listOf(schema.oneOf)])
    yield* misspeltIn(member, wrap, path);
  if (isSchema(schema.items)) yield* misspeltIn(schema.items, (inner) => wrap([inner]), [...path, 0]);
  const { properties } = schema;
  if (!isSchema(properties) || isSchema(schema.additionalProperties) || schema.additionalProperties === true)
    return;
  const constants = Object.fromEntries(
    Object.entries(properties).flatMap(([name, property]) =>
      isSchema(property) && property.const !== undefined ? [[name, property.const]] : [],
    ),
  );
  yield { body: wrap({ ...constants, [UNKNOWN]: 1 }), pointer: `/${[...path, UNKNOWN].join("/")}` };
  for (const [name, property] of Object.entries(properties))
    if (isSchema(property))
      yield* misspeltIn(property, (inner) => wrap({ ...constants, [name]: inner }), [...path, name]);
}

test("a misspelled field is found in every object of every body, and nothing else is", () => {
  let count = 0;
  const missed: string[] = [];
  for (const { method, path, schema } of jsonRoutes(fixture))
    for (const { body, pointer } of misspeltIn(schema)) {
      count++;
      const found = unknownField(body, schema, []);
      if (found !== pointer) missed.push(`${method} ${path} ${pointer}: ${found}`);
    }
  expect(missed).toEqual([]);
  expect(count).toBeGreaterThan(120);
});

test("fields of other members of a union, and fields that were read, are told from unknown ones", () => {
  const kind = (name: string, field: string) => ({
    type: "object",
    properties: { type: { const: name }, [field]: { type: "object", properties: {} } },
  });
  const sent = { anyOf: [kind("a", "one"), kind("b", "two")] } as unknown as TSchema;
  const read = { type: "object", properties: { updatedAt: { type: "string" } } } as unknown as TSchema;
  const find = (body: unknown, from: readonly TSchema[] = []) => unknownField(body, sent, from);
  expect(find({ type: "a", one: {} })).toBeUndefined();
  expect(find({ type: "a", two: {} })).toBe("/two");
  expect(find({ type: "a", one: { x: 1 } })).toBe("/one/x");
  expect(find({ type: "b", updatedAt: "now" })).toBe("/updatedAt");
  expect(find({ type: "b", updatedAt: "now" }, [read])).toBeUndefined();
});

/** Objects whose fields the sender chooses, or that are kept exactly as they were sent. */
const FREE =
  /^(?:POST \/api\/dashboards|\S+ \/api\/rule-chains\S* config|POST \/api\/data-pipelines\/preview telemetry|POST \/api\/integrations\/preview payload|POST \/api\/devices\/bulk\/|POST \/api\/tenant-attributes value|POST \/api\/devices\/\{deviceId\}\/(?:commands params|attributes attributes|test-telemetry payload)|POST \/api\/scheduler action\.attributes|POST \/api\/shared\/dashboard)/;
/** Of devices, webhooks and sign-in, and an operation that fails before its body counts. */
const OTHERS = /^\S+ (?:\/api\/v1\/(?!telemetry)|\/idp\/|\/api\/auth\/|\/api\/users )/;

function* objectsIn(value: unknown, path: Path = []): Generator<Path> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield path;
  for (const [name, inner] of Object.entries(value)) yield* objectsIn(inner, [...path, name]);
}

test("a PATCH with an unknown field is refused, and what creates or replaces ignores it at the top", async () => {
  const [posted, patched] = [
    await fixture.call("POST", "/api/device-profiles", { token, body: { name: "top", [UNKNOWN]: 1 } }),
    await fixture.call("PATCH", `/api/device-profiles/${ids.profileId}`, { token, body: { [UNKNOWN]: 1 } }),
  ];
  expect([posted.status, patched.status, patched.body.code]).toEqual([201, 400, "body.field_unknown"]);
});

test("every example of the API description is refused with a misspelled field in any of its objects", async () => {
  const document = await (await fetch(`${fixture.app.url}/docs/json`)).json();
  const accepted: string[] = [];
  let count = 0;
  for (const [path, operations] of Object.entries<Record<string, Schema>>(document.paths))
    for (const [verb, { requestBody }] of Object.entries(operations)) {
      const { example } =
        (requestBody as { content?: Record<string, Schema> })?.content?.["application/json"] ?? {};
      const method = verb.toUpperCase();
      const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name as keyof Ids] ?? "unknown");
      for (const place of objectsIn(example)) {
        const name = `${method} ${path} ${place.join(".")}`;
        if (FREE.test(name) || OTHERS.test(name)) continue;
        if (place.length === 0 && method !== "PATCH") continue;
        const body = structuredClone(example);
        const object = place.reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], body);
        Object.assign(object as object, { [UNKNOWN]: 1 });
        const response = await fixture.call(method, target, { token, body });
        count++;
        if (response.status !== 400 || !response.text.includes(UNKNOWN))
          accepted.push(`${name} → ${response.status}`);
      }
    }
  expect(accepted).toEqual([]);
  expect(count).toBeGreaterThan(40);
});

test("a misspelled field of a command's parameter is refused and named", async () => {
  const commands = [{ method: "set", params: [{ name: "level", type: "number", requierd: true }] }];
  const { status, body } = await fixture.call("POST", "/api/device-profiles", {
    token,
    body: { name: "misspelt", commands },
  });
  expect([status, body.code, body.params]).toEqual([
    400,
    "body.field_unknown",
    { field: "commands/0/params/0/requierd" },
  ]);
});
