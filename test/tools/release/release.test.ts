import { beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Ajv from "ajv";
import addFormats from "ajv-formats";
import { type BundledPackage, listBundledPackages } from "../../../src/tools/release/bundled-packages.ts";
import { changesOf } from "../../../src/tools/release/changelog.ts";
import { renderLicenses } from "../../../src/tools/release/licenses.ts";
import { createSbom } from "../../../src/tools/release/sbom.ts";

/** What a release publishes beside the executables. */

const root = join(import.meta.dir, "..", "..", "..");
let packages: readonly BundledPackage[];
beforeAll(async () => {
  packages = await listBundledPackages();
});

/** Licenses that allow an executable like this one; a new one has to be read first. */
const acceptedLicenses = [
  "0BSD",
  "Apache-2.0",
  "(Apache-2.0 AND BSD-3-Clause)",
  "BSD-3-Clause",
  "ISC",
  "MIT",
  "MIT-0",
  "Unlicense",
];

describe("the list of bundled packages", () => {
  const names = () => packages.map(({ name }) => name);
  test("contains the packages of the program and of the console, embedded files and the runtime", () => {
    for (const name of [
      "aedes",
      "elysia",
      "mqtt-packet",
      "preact",
      "uplot",
      "swagger-ui-dist",
      "daisyui",
      "bun",
    ])
      expect(names()).toContain(name);
  });
  test("contains no package that only builds or tests use", () => {
    for (const name of ["typescript", "fast-check", "playwright-core", "ajv", "bun-types", "@biomejs/biome"])
      expect(names()).not.toContain(name);
  });
  test("contains both versions of a package that is nested", () => {
    expect(names().filter((name) => name === "tslib")).toHaveLength(2);
    const tsyringe = packages.find(({ name }) => name === "tsyringe");
    expect(tsyringe?.dependencies).toEqual(["node_modules/tsyringe/node_modules/tslib"]);
  });
  test("contains only accepted licenses", () => {
    const others = packages.filter(({ license }) => !acceptedLicenses.includes(license));
    expect(others.map(({ name, license }) => `${name}: ${license}`)).toEqual([]);
  });
});

describe("the licenses", () => {
  test("contain the text of every package and of the libraries in the runtime", async () => {
    const text = await renderLicenses(packages);
    for (const { name, version } of packages) expect(text).toContain(`\n${name} ${version} (`);
    for (const line of [
      "Copyright (c) 2026 The Lineside authors",
      "Copyright (c) 2017-2021 Fabrice Bellard",
      "Bun statically links JavaScriptCore",
      "GNU LESSER GENERAL PUBLIC LICENSE",
      "Copyright (c) 2016 Daniel Wolf",
    ])
      expect(text).toContain(line);
  });
  test("fail for a package without a license text and without a standard text", async () => {
    const unknown = { ...packages[0], name: "unknown", license: "CUSTOM", path: "src" } as BundledPackage;
    expect(renderLicenses([unknown])).rejects.toThrow("unknown has no license text");
  });
});

/** The required fields and the formats of https://cyclonedx.org/schema/bom-1.6.schema.json for the parts that the document uses. */
const licenses = {
  type: "array",
  minItems: 1,
  items: {
    oneOf: [
      {
        type: "object",
        required: ["license"],
        additionalProperties: false,
        properties: {
          license: {
            type: "object",
            required: ["id"],
            additionalProperties: false,
            properties: { id: { enum: acceptedLicenses } },
          },
        },
      },
      {
        type: "object",
        required: ["expression"],
        additionalProperties: false,
        properties: { expression: { type: "string" } },
      },
    ],
  },
};
const component = {
  type: "object",
  required: ["type", "name"],
  additionalProperties: false,
  properties: {
    type: {
      enum: [
        "application",
        "framework",
        "library",
        "container",
        "platform",
        "operating-system",
        "file",
        "data",
      ],
    },
    "bom-ref": { type: "string", minLength: 1 },
    group: { type: "string" },
    name: { type: "string", minLength: 1 },
    version: { type: "string", maxLength: 1024 },
    hashes: {
      type: "array",
      items: {
        type: "object",
        required: ["alg", "content"],
        additionalProperties: false,
        properties: {
          alg: { enum: ["SHA-256", "SHA-512"] },
          content: { type: "string", pattern: "^([a-f0-9]{64}|[a-f0-9]{128})$" },
        },
      },
    },
    licenses,
    purl: { type: "string", pattern: "^pkg:npm/(%40[^/@]+/)?[^/@]+@[^@]+$" },
    properties: {
      type: "array",
      items: {
        type: "object",
        required: ["name"],
        additionalProperties: false,
        properties: { name: { type: "string" }, value: { type: "string" } },
      },
    },
  },
};
const documentSchema = {
  type: "object",
  required: ["bomFormat", "specVersion"],
  additionalProperties: false,
  properties: {
    bomFormat: { const: "CycloneDX" },
    specVersion: { const: "1.6" },
    serialNumber: {
      type: "string",
      pattern: "^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
    },
    version: { type: "integer", minimum: 1 },
    metadata: {
      type: "object",
      additionalProperties: false,
      properties: { timestamp: { type: "string", format: "date-time" }, component },
    },
    components: { type: "array", uniqueItems: true, items: component },
    dependencies: {
      type: "array",
      uniqueItems: true,
      items: {
        type: "object",
        required: ["ref"],
        additionalProperties: false,
        properties: {
          ref: { type: "string" },
          dependsOn: { type: "array", uniqueItems: true, items: { type: "string" } },
        },
      },
    },
  },
};

describe("the bill of materials", () => {
  const release = { version: "1.2.3", commit: "9a9028c", timestamp: "2026-01-05T10:00:00.000Z" };
  test("has the required fields of CycloneDX 1.6 and no others", () => {
    const ajv = addFormats(new Ajv({ strict: true, allErrors: true }));
    const sbom = createSbom(release, packages);
    expect(ajv.validate(documentSchema, sbom) || ajv.errors).toBe(true);
    expect(ajv.validate(documentSchema, { ...sbom, components: [{ name: "no type" }] })).toBe(false);
  });
  test("lists every package once, with its archive's hash, and refers only to what it lists", () => {
    const { components, dependencies, metadata } = createSbom(release, packages);
    expect(components).toHaveLength(packages.length);
    expect(components.filter((item) => !("hashes" in item))).toEqual([]);
    const refs = new Set([metadata.component["bom-ref"], ...components.map((item) => item["bom-ref"])]);
    expect(refs.size).toBe(packages.length + 1);
    expect(new Set(dependencies.map(({ ref }) => ref))).toEqual(refs);
    for (const { dependsOn } of dependencies) for (const ref of dependsOn) expect(refs).toContain(ref);
  });
  test("encodes a scope and a combined license", () => {
    const { components } = createSbom(release, packages);
    expect(components.find(({ name }) => name === "protobuf")).toMatchObject({
      group: "@bufbuild",
      purl: expect.stringMatching(/^pkg:npm\/%40bufbuild\/protobuf@\d/),
      licenses: [{ expression: "Apache-2.0 AND BSD-3-Clause" }],
    });
  });
  test("has a serial number that depends on the content", () => {
    const { serialNumber } = createSbom(release, packages);
    expect(createSbom(release, packages).serialNumber).toBe(serialNumber);
    expect(createSbom({ ...release, version: "1.2.4" }, packages).serialNumber).not.toBe(serialNumber);
  });
});

describe("the changelog", () => {
  test("gives the section of a version without its heading and without links", () => {
    const text =
      "# Changelog\n\n## [Unreleased]\n\n## [1.1.0] - 2026-01-05\n\n### Added\n\n- A\n\n## [1.0.0]\n\n- B\n\n[1.0.0]: https://x\n";
    expect(changesOf(text, "1.1.0")).toBe("### Added\n\n- A\n");
    expect(changesOf(text, "1.0.0")).toBe("- B\n");
    expect(changesOf(text, "2.0.0")).toBeUndefined();
  });
  test("has an unreleased section", () => {
    expect(existsSync(join(root, "CHANGELOG.md"))).toBe(true);
    expect(changesOf(readFileSync(join(root, "CHANGELOG.md"), "utf8"), "Unreleased")).toBeDefined();
  });
});
