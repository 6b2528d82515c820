import { createHash } from "node:crypto";
import type { BundledPackage } from "./bundled-packages.ts";

/*
 * The bill of materials of a release: CycloneDX 1.6 as JSON (https://cyclonedx.org/docs/1.6/json/). It lists the packages inside the executable.
 */

interface Release {
  readonly version: string;
  readonly commit: string;
  /** ISO 8601. */
  readonly timestamp: string;
}

const SELF = "lineside";

/** Returns the package URL (https://github.com/package-url/purl-spec), with the percent-encoded `@` of a scope. */
const purlOf = ({ name, version }: Pick<BundledPackage, "name" | "version">): string =>
  `pkg:npm/${name.replace(/^@/, "%40")}@${version}`;

function licensesOf(license: string) {
  const expression = license.replace(/^\((.*)\)$/, "$1");
  return /\s/.test(expression) ? [{ expression }] : [{ license: { id: expression } }];
}

function hashesOf(integrity: string | undefined) {
  const [algorithm, digest] = integrity?.split("-", 2) ?? [];
  if (algorithm !== "sha512" || digest === undefined) return {};
  return { hashes: [{ alg: "SHA-512", content: Buffer.from(digest, "base64").toString("hex") }] };
}

function componentOf(item: BundledPackage) {
  const [group, name] = item.name.startsWith("@") ? item.name.split("/", 2) : [undefined, item.name];
  return {
    type: item.name === "bun" ? "platform" : "library",
    "bom-ref": item.path,
    ...(group === undefined ? {} : { group }),
    name: name ?? item.name,
    version: item.version,
    ...hashesOf(item.integrity),
    licenses: licensesOf(item.license),
    purl: purlOf(item),
  };
}

/** Returns a UUID (RFC 9562, version 8) of the content, so that equal sources give equal documents. */
function uuidOf(content: string): string {
  const hex = createHash("sha256").update(content).digest("hex");
  const variant = ((Number.parseInt(hex[16] ?? "0", 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Lists the packages, with their hashes, licenses and dependencies, as components of one release. */
export function createSbom(release: Release, packages: readonly BundledPackage[]) {
  const components = packages.map(componentOf);
  const needed = new Set(packages.flatMap(({ dependencies }) => dependencies));
  const direct = packages.map(({ path }) => path).filter((path) => !needed.has(path));
  const body = {
    metadata: {
      timestamp: release.timestamp,
      component: {
        type: "application",
        "bom-ref": SELF,
        name: SELF,
        version: release.version,
        licenses: [{ license: { id: "MIT" } }],
        properties: [{ name: "lineside:commit", value: release.commit }],
      },
    },
    components,
    dependencies: [
      { ref: SELF, dependsOn: direct },
      ...packages.map(({ path, dependencies }) => ({ ref: path, dependsOn: dependencies })),
    ],
  };
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(body))}`,
    version: 1,
    ...body,
  };
}
