import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { buildLicenses } from "../release/licenses.ts";
import { buildConsole } from "./build-console.ts";

const root = join(import.meta.dir, "..", "..", "..");

/** The offline API page: Swagger UI's own files and the few lines that start it, packed, for they are a fifth of that. */
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

await buildApiDocs();
await buildLicenses();
await buildConsole();
