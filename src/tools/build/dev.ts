import { join } from "node:path";
import { DevServer } from "./dev-server.ts";

/*
 * `npm run dev [-- --http-port 9090 …]`: serves a checkout with its own data in `./data`, and follows changes of the sources.
 */

const server = new DevServer({
  directory: join(import.meta.dir, "..", "..", ".."),
  watched: ["src", "static", "docs", "drizzle"],
  buildConsole: [process.execPath, join("src", "tools", "build", "build-console.ts")],
  serve: [process.execPath, join("src", "main.ts"), "serve", ...process.argv.slice(2)],
  report: (message) => console.log(`dev: ${message}`),
});
server.start();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => void server.stop().then(() => process.exit(0)));
