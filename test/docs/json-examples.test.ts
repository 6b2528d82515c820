import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import type { ApiDocument } from "../../src/http/api-docs.ts";
import { ApiContract } from "../support/api-document.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

/** JSON of the pages: requests and responses match the API's document, and operations in the text exist. */

const root = join(import.meta.dir, "../..");
const pages = ["README.md", ...new Glob("docs/*.md").scanSync({ cwd: root })].toSorted().map((name) => ({
  name: name.replace(/^docs\/|\.md$/g, ""),
  text: readFileSync(join(root, name), "utf8"),
}));

const SOME_ID = "0199f6a0-0000-7000-8000-000000000001";

type Json = unknown;
interface Request {
  readonly request: string;
  /** The whole body, if the page shows a part of it. */
  readonly bodyOf?: (part: Json) => object;
}
type Example = Request | { readonly response: string; readonly status: number } | { readonly not: string };

const profile: Request = { request: `PATCH /api/device-profiles/${SOME_ID}` };
const step = (part: Json) => ({ name: "Webhook", steps: [part] });
const ROW = "is a row that targets receive: test/modules/uplinks";

/** What the blocks of JSON of a page are, in their order. */
const examples: Readonly<Record<string, readonly Example[]>> = {
  "alarm-rules": [{ ...profile, bodyOf: (rule) => ({ alarmRules: [rule] }) }],
  api: [
    { response: "POST /api/dashboards", status: 409 },
    { response: "POST /api/devices", status: 400 },
    { not: "is a point of a response" },
  ],
  "broker-integrations": [
    { request: `PATCH /api/integrations/${SOME_ID}`, bodyOf: (part) => ({ settings_json: part as object }) },
  ],
  "device-protocol": [profile],
  devices: [profile],
  "integration-formats": [
    { request: "POST /api/integrations", bodyOf: (part) => ({ name: "ThingPark", ...(part as object) }) },
  ],
  integrations: [{ not: "is for an operation that takes any object: test/modules/integrations" }],
  messengers: [{ request: "PATCH /api/notifications/settings" }],
  "modbus-registers": [{ request: `POST /api/devices/${SOME_ID}/commands` }],
  provisioning: [{ request: "POST /api/v1/provision" }, { response: "POST /api/v1/provision", status: 200 }],
  "quick-start-node-red": [{ not: "is a flow of Node-RED: test/mqtt/node-red.test.ts" }],
  "quick-start-thingsboard-gateway": [
    { not: "is a file of the ThingsBoard gateway" },
    { not: "is a file of the ThingsBoard gateway" },
  ],
  "uplink-kafka": [{ not: ROW }],
  "uplink-targets": [{ not: ROW }],
  webhooks: [{ not: "the body that a receiver gets" }, { request: "POST /api/data-pipelines", bodyOf: step }],
};

const blocksOf = (text: string): string[] =>
  [...text.matchAll(/^ *```json\n([\s\S]*?)^ *```/gm)].map(([, code = ""]) => code);

/** Returns the values of a block, which has one of any layout or one per line. `…` is what readers fill in. */
function valuesOf(code: string): Json[] {
  const filled = code.replaceAll('Id": "…"', `Id": "${SOME_ID}"`);
  try {
    return [JSON.parse(filled)];
  } catch {
    return filled
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  }
}

/** Returns the document with schemas that refuse unknown fields: the API ignores some, but a page must not show them. */
function closed(part: Json, isPartOfAll = false): Json {
  if (Array.isArray(part)) return part.map((item) => closed(item, isPartOfAll));
  if (typeof part !== "object" || part === null) return part;
  const copy = Object.fromEntries(
    Object.entries(part).map(([key, value]) => [key, closed(value, key === "allOf")]),
  );
  return "properties" in copy && copy.type === "object" && !isPartOfAll
    ? { additionalProperties: false, ...copy }
    : copy;
}

let fixture: TestApp;
let document: ApiDocument;
let contract: ApiContract;
beforeAll(async () => {
  fixture = await createTestApp();
  document = (await fixture.call("GET", "/docs/json")).body;
  contract = new ApiContract(closed(document) as ApiDocument);
});
afterAll(() => fixture.stop());

const splitOperation = (operation: string) => {
  const [method = "", path = ""] = operation.split(" ");
  return { method, path };
};

function problemOf(example: Example, value: Json): string | undefined {
  if ("not" in example) return undefined;
  const { method, path } = splitOperation("request" in example ? example.request : example.response);
  if (contract.operationIdOf(method, path) === undefined) return `${method} ${path} does not exist`;
  if ("request" in example)
    return contract.requestProblemOf({ method, path, body: example.bodyOf?.(value) ?? value });
  const { status } = example;
  return contract.problemOf({ method, path, status, contentType: "application/json", body: value });
}

test("each block of JSON is named here, once", () => {
  const shown = pages.flatMap(({ name, text }) => {
    const count = blocksOf(text).length;
    return count === 0 ? [] : [[name, count]];
  });
  expect(Object.entries(examples).map(([name, list]) => [name, list.length])).toEqual(shown);
});

test.each(Object.entries(examples))("the JSON of %s is what the API accepts or answers", (page, list) => {
  const text = pages.find(({ name }) => name === page)?.text ?? "";
  const problems = blocksOf(text).flatMap((code, index) => {
    const example = list[index];
    return example === undefined ? [] : valuesOf(code).flatMap((value) => problemOf(example, value) ?? []);
  });
  expect(problems).toEqual([]);
});

test("a body after the name of its operation is one that the operation accepts", () => {
  const shown = pages.flatMap(({ name, text }) =>
    [...text.matchAll(/`(POST|PUT|PATCH) (\/[^`?\s]+)` with `(\{"[^`…]*\})`/g)].map(
      ([, method = "", path = "", body = ""]) => ({
        name,
        method,
        path: path.replaceAll(/\{\w+\}/g, SOME_ID),
        body,
      }),
    ),
  );
  expect(shown.length).toBeGreaterThan(2);
  const problems = shown.flatMap(
    ({ name, body, ...call }) => contract.requestProblemOf({ ...call, body: JSON.parse(body) }) ?? [],
  );
  expect(problems).toEqual([]);
});

/** Returns the requests with a body of JSON that the commands of a text send. Variables of paths become ids. */
function curlRequestsOf(text: string) {
  const blocks = [...text.matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)].map(([, code = ""]) => code);
  const commands = blocks.flatMap((code) => code.replaceAll("\\\n", " ").split(/(?=\bcurl )/));
  return commands.flatMap((command) => {
    const path = /(?:localhost:8080|\$URL)(\/[^\s"'?]*)/.exec(command)?.[1];
    const body = /-d '(\{[^']*\})'/.exec(command)?.[1];
    if (path === undefined || body === undefined) return [];
    const method = /-X ([A-Z]+)/.exec(command)?.[1] ?? "POST";
    return [{ method, path: path.replaceAll(/\$\w+/g, SOME_ID), body: JSON.parse(body) }];
  });
}

test("the bodies that commands send have only fields of their operation", () => {
  const requests = pages.flatMap(({ name, text }) =>
    curlRequestsOf(text).map((request) => ({ name, ...request })),
  );
  expect(requests.length).toBeGreaterThan(20);
  const problems = requests.flatMap(({ name, ...request }) => {
    const problem = contract.requestProblemOf(request);
    return problem === undefined ? [] : [`${name}: ${problem}`];
  });
  expect(problems).toEqual([]);
});

test("every operation that a page names exists", () => {
  const templates = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, "{}")}`),
  );
  const named = pages.flatMap(({ name, text }) =>
    [...text.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/(?:api|idp)\/[^`?\s]*)[^`]*`/g)].map(
      ([, method = "", path = ""]) => ({ name, operation: `${method} ${path.replaceAll(/\{\w+\}/g, "{}")}` }),
    ),
  );
  expect(named.length).toBeGreaterThan(50);
  const unknown = named.filter(({ operation }) => !templates.includes(operation));
  expect(unknown).toEqual([]);
});
