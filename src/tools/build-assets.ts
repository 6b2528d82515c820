import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { buildConsole } from "./build-console.ts";

const root = join(import.meta.dir, "..", "..");

/** The offline API page: Swagger UI's own files and the few lines that start it. */
async function buildApiDocs(): Promise<void> {
  const target = join(root, "static", "api-docs");
  await mkdir(target, { recursive: true });
  for (const name of ["swagger-ui.css", "swagger-ui-bundle.js"])
    await Bun.write(join(target, name), Bun.file(join(root, "node_modules", "swagger-ui-dist", name)));
  await Bun.write(
    join(target, "docs.js"),
    'SwaggerUIBundle({ url: "/docs/json", dom_id: "#api", deepLinking: true, persistAuthorization: false });\n',
  );
}

await buildApiDocs();
await buildConsole();
