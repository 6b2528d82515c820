import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { OPCUA_BUNDLE } from "../../platform/opcua/opcua-thread.ts";
import { OPCUA_ENTRY, OPCUA_UNUSED } from "../release/bundled-packages.ts";
import { buildLicenses } from "../release/licenses.ts";
import { buildConsole } from "./build-console.ts";
import { unusedInOpcUa } from "./unused-packages.ts";

const root = join(import.meta.dir, "..", "..", "..");

/** Builds the offline API page: the files of Swagger UI and a few lines that start it, compressed to a fifth. */
async function buildApiDocs(): Promise<void> {
  const target = join(root, "static", "api-docs");
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  const write = (name: string, bytes: Uint8Array) =>
    Bun.write(join(target, `${name}.gz`), gzipSync(bytes, { level: 9 }));
  for (const name of ["swagger-ui.css", "swagger-ui-bundle.js"])
    await write(name, await readFile(join(root, "node_modules", "swagger-ui-dist", name)));
  await write("docs.js", await readFile(join(import.meta.dir, "api-docs-page.js")));
}

/**
 * Builds the thread of OPC UA as one file: as a part of the program, the library would take 9 MB. Class names are kept, because the library compares
 * them.
 */
async function buildOpcUa(): Promise<void> {
  const { outputs } = await Bun.build({
    entrypoints: [join(root, OPCUA_ENTRY)],
    target: "bun",
    minify: { whitespace: true, syntax: true, identifiers: true, keepNames: true },
    external: OPCUA_UNUSED,
    plugins: [unusedInOpcUa],
  });
  const [bundle] = outputs;
  if (bundle === undefined) throw new Error(`${OPCUA_ENTRY} was not bundled`);
  await Bun.write(join(root, OPCUA_BUNDLE), gzipSync(await bundle.arrayBuffer(), { level: 9 }));
}

await buildApiDocs();
await buildOpcUa();
await buildLicenses();
await buildConsole();
