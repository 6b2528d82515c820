import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DevServer } from "../../../src/tools/build/dev-server.ts";
import { until } from "../../support/until.ts";

/** The development server, with small programs in the place of the gateway and of the console's build. Each writes a line to `log`. */

const gateway = `
  const { appendFileSync } = require("node:fs");
  process.on("SIGTERM", () => setTimeout(() => { appendFileSync("log", "stop\\n"); process.exit(0); }, 20));
  appendFileSync("log", "start\\n");
  setInterval(() => undefined, 1000);
`;
const build = `
  const { appendFileSync, existsSync } = require("node:fs");
  appendFileSync("log", "build\\n");
  process.exit(existsSync("src/web/broken") ? 1 : 0);
`;

let directory: string;
let server: DevServer;
let messages: string[];
const write = (name: string, text = "") => writeFileSync(join(directory, name), text);
const log = (): string[] =>
  existsSync(join(directory, "log")) ? readFileSync(join(directory, "log"), "utf8").trim().split("\n") : [];
const logIs = (...lines: string[]) => until(() => log().join() === lines.join(), `the log ${lines.join()}`);

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "lineside-dev-"));
  mkdirSync(join(directory, "src", "web"), { recursive: true });
  messages = [];
  server = new DevServer({
    directory,
    watched: ["src"],
    buildConsole: [process.execPath, "-e", build],
    serve: [process.execPath, "-e", gateway],
    report: (message) => messages.push(message),
  });
  server.start();
  await logIs("start");
});
afterEach(async () => {
  await server.stop();
  await rm(directory, { recursive: true, force: true });
});

test("a change of the gateway's sources restarts it without a build of the console", async () => {
  write("src/app.ts");
  await logIs("start", "stop", "start");
});

test("a change of the console's sources builds the console and restarts the gateway", async () => {
  write("src/web/main.tsx");
  await logIs("start", "build", "stop", "start");
});

test("a console that does not build leaves the gateway running", async () => {
  write("src/web/broken");
  await until(() => messages.includes("the console does not build; the previous one stays"));
  await rm(join(directory, "src/web/broken"));
  await logIs("start", "build", "build", "stop", "start");
});

test("temporary files of editors change nothing", async () => {
  write("src/.app.ts.swp");
  write("src/app.ts~");
  write("src/app.ts");
  await logIs("start", "stop", "start");
  expect(messages).toEqual(["src/app.ts changed"]);
});

test("a stop that is asked for twice ends the gateway before it resolves", async () => {
  void server.stop();
  await server.stop();
  expect(log()).toEqual(["start", "stop"]);
});
