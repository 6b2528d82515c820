import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import type { ApiDocument } from "../../src/http/api-docs.ts";
import { errorsOf } from "../../src/http/openapi/error-responses.ts";
import type { OperationErrors } from "../../src/modules/api/operation-errors.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

/** The published document: valid by two validators, and clients that two generators make of it compile. */

const root = join(import.meta.dir, "..", "..");
let fixture: TestApp;
let document: ApiDocument;
let directory: string;

beforeAll(async () => {
  fixture = await createTestApp();
  document = (await fixture.call("GET", "/docs/json")).body;
  directory = await mkdtemp(join(tmpdir(), "lineside-openapi-"));
  await Bun.write(join(directory, "openapi.json"), JSON.stringify(document));
});
afterAll(async () => {
  await fixture.stop();
  await rm(directory, { recursive: true, force: true });
});

const operations = () =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      path,
      method,
      operation,
    })),
  );

/** First words of summaries: a summary is a verb and its object. */
const VERBS =
  "Acknowledge Act Add Allow Ask Back Back-test Change Check Claim Clear Comment Compare Complete " +
  "Confirm Connect Count Create Delete Describe Disable Discard Download Enable End Exchange " +
  "Explain Export Get Import Install Invite Let List Load Lock Make Pause Poll Prepare Preview " +
  "Publish Put Read Receive Release Remove Rename Renew Replace Replay Report Restart Restore " +
  "Revoke Run Search Select Send Set Share Show Sign Simulate Skip Start Stop Store Subscribe " +
  "Suggest Test Try Upload Validate Wait Write";

describe("the document", () => {
  test("is OpenAPI 3.1 of the interface's version 1.0", () => {
    expect(document.openapi).toStartWith("3.1");
    expect(document.info.version).toBe("1.0");
    expect(document.servers.length).toBeGreaterThan(0);
    expect(operations().length).toBeGreaterThan(200);
  });

  test("is valid against the JSON Schema of OpenAPI", async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
  });

  test("passes a linter without errors", async () => {
    const config = await createConfig({ extends: ["recommended"] });
    const problems = await lintFromString({ source: JSON.stringify(document), config });
    expect(problems.filter(({ severity }) => severity === "error").map(({ message }) => message)).toEqual([]);
  });

  test("has short summaries", () => {
    const long = operations()
      .map(({ name, operation }) => ({ name, summary: operation.summary ?? "" }))
      .filter(({ summary }) => summary === "" || summary.length > 50);
    expect(long).toEqual([]);
  });

  test("has summaries that begin with a verb", () => {
    const verbs = new Set(VERBS.split(" "));
    const summaries = operations().map(({ operation }) => operation.summary ?? "");
    expect(summaries.filter((summary) => !verbs.has(summary.split(" ")[0] ?? ""))).toEqual([]);
    const used = new Set(summaries.map((summary) => summary.split(" ")[0]));
    expect([...verbs].filter((verb) => !used.has(verb))).toEqual([]);
  });

  test("has a unique identifier for each operation", () => {
    const ids = operations().map(({ operation }) => operation.operationId);
    expect(ids.filter((id) => !/^[a-z][A-Za-z0-9]+$/.test(id))).toEqual([]);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  test("describes every tag that an operation has", () => {
    const described = new Set<string>(document.tags.map(({ name }) => name));
    const used = operations().flatMap(({ operation }) => operation.tags);
    expect(used.length).toBeGreaterThan(200);
    expect(used.filter((tag) => !described.has(tag))).toEqual([]);
  });

  test("describes every answer, and every error by the Error schema or as one without a body", () => {
    const { responses } = document.components;
    const wrong: string[] = [];
    for (const { name, operation } of operations())
      for (const [status, response] of Object.entries(operation.responses)) {
        const resolved = "$ref" in response ? responses[response.$ref.split("/").at(-1) ?? ""] : response;
        if (resolved === undefined || !("description" in resolved) || resolved.description === "")
          wrong.push(`${name} ${status}`);
        else if (Number(status) >= 400 && resolved.content !== undefined) {
          const schema = resolved.content["application/json"]?.schema;
          if (schema?.$ref !== "#/components/schemas/Error") wrong.push(`${name} ${status}`);
        }
      }
    expect(wrong).toEqual([]);
  });

  test("says at the error itself what it means for an operation", () => {
    const described = operations().flatMap(({ name, operation }) =>
      Object.entries(operation.responses).flatMap(([status, response]) =>
        "$ref" in response && response.description !== undefined
          ? [`${name} ${status} ${response.description}`]
          : [],
      ),
    );
    expect(described).toContain("PATCH /api/device-profiles/{profileId} 409 The name is taken.");
    expect(described.length).toBeGreaterThan(40);
  });

  test("describes no error status in a clause of a description", () => {
    const statuses = new Set(operations().flatMap(({ operation }) => Object.keys(operation.responses)));
    const errors = [...statuses].filter((status) => Number(status) >= 400).join("|");
    const clause = new RegExp(`(?:^|[.,;:] )(?:and |or )?(?:${errors})[ ,:](?!\\d)`);
    const descriptions: string[] = [];
    JSON.stringify([document.paths, document.components.schemas], (key, value) => {
      if (key === "description" && typeof value === "string") descriptions.push(value);
      return value;
    });
    expect(descriptions.length).toBeGreaterThan(1_000);
    expect(descriptions.filter((description) => clause.test(description))).toEqual([]);
    for (const description of [
      "409 if it exists.",
      "Waits; 408 if none arrives.",
      "Streams. 403: for owners.",
    ])
      expect(description).toMatch(clause);
  });

  test("has only errors with a shared response", () => {
    const errors = { 418: "It is a teapot." } as OperationErrors; // the compiler refuses it in a route
    const route = { method: "GET", path: "/api/tea", hasInput: false, takesBody: false };
    expect(() => errorsOf({ ...route, detail: { errors } })).toThrow("known error statuses");
    expect(errorsOf({ ...route, detail: { errors: { 409: "It is cold." } } })).toEqual({
      409: { $ref: "#/components/responses/Conflict", description: "It is cold." },
    });
  });

  test("has an example in every JSON request", () => {
    const missing = operations().filter(({ operation }) => {
      const json = operation.requestBody?.content["application/json"];
      return json !== undefined && json.example === undefined;
    });
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  test("has an example in every JSON answer of success", () => {
    const missing = operations().flatMap(({ name, operation }) =>
      Object.entries(operation.responses).flatMap(([status, response]) => {
        const json = Number(status) < 400 && "content" in response && response.content?.["application/json"];
        return json && json.example === undefined ? [`${name} ${status}`] : [];
      }),
    );
    expect(missing).toEqual([]);
  });

  test("has only examples that its schemas accept", () => {
    const ajv = new Ajv2020({ strict: false });
    formats.default(ajv);
    ajv.addSchema(document, "api");
    const wrong: string[] = [];
    let checked = 0;
    for (const { name, path, method, operation } of operations()) {
      const responses = Object.entries(operation.responses).flatMap(([status, response]) =>
        "content" in response ? [[["responses", status], response.content] as const] : [],
      );
      for (const [place, content] of [
        [["requestBody"], operation.requestBody?.content] as const,
        ...responses,
      ]) {
        const json = content?.["application/json"];
        if (json?.example === undefined || json.schema === undefined) continue;
        const pointer = ["paths", path, method, ...place, "content", "application/json", "schema"];
        const escaped = pointer.map((part) =>
          encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1")),
        );
        const validate = ajv.compile({ $ref: `api#/${escaped.join("/")}` });
        checked++;
        if (!validate(json.example)) wrong.push(`${name} ${JSON.stringify(validate.errors?.[0])}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(checked).toBeGreaterThan(400);
  });

  test("reuses its schemas", () => {
    expect(Object.keys(document.components.schemas).length).toBeGreaterThan(100);
  });

  test("documents the credential of each operation", () => {
    const { securitySchemes } = document.components;
    for (const { operation } of operations())
      for (const requirement of operation.security)
        for (const scheme of Object.keys(requirement)) expect(Object.keys(securitySchemes)).toContain(scheme);
    const webhooks = operations().filter(({ name }) => name.includes("/api/v1/integrations/"));
    expect(
      webhooks.every(({ operation }) => operation.security.some((candidate) => "webhookSecret" in candidate)),
    ).toBe(true);
  });
});

async function run(...command: string[]): Promise<string> {
  const child = Bun.spawn(command, { cwd: directory, stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return child.exitCode === 0 ? "" : `${stdout}${stderr}`;
}

const bin = (name: string) => join(root, "node_modules", ".bin", name);

test.each([
  ["openapi-typescript", ["openapi.json", "-o", "client.ts"]],
  ["oazapfts", ["openapi.json", "client.ts"]],
])("a client that %s generates compiles", async (generator, options) => {
  expect(await run("node", bin(generator), ...options)).toBe("");
  const source = await Bun.file(join(directory, "client.ts")).text();
  expect(source).toContain("listDevices");
  await Bun.write(join(directory, "package.json"), "{}");
  await rm(join(directory, "node_modules"), { force: true });
  await Bun.$`ln -s ${join(root, "node_modules")} ${join(directory, "node_modules")}`.quiet();
  const compiler = join(root, "node_modules", "typescript-native", "bin", "tsc");
  const flags = [
    "--noEmit",
    "--strict",
    "--skipLibCheck",
    "--module",
    "esnext",
    "--moduleResolution",
    "bundler",
  ];
  expect(await run("node", compiler, ...flags, "--target", "es2022", "client.ts")).toBe("");
});
