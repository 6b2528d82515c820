import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "../../src/platform/core/log.ts";
import { openMainDatabase } from "../../src/platform/database/database.ts";
import { openDataDirectory } from "../../src/platform/files/data-directory.ts";
import { PROGRAM } from "../support/program.ts";

const EMAIL = "owner@plant.example";
const PASSWORD = "a long enough password 7";
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "lineside-test-"));
});
afterEach(() => rm(directory, { recursive: true }));

test("on the first start, whoever sees it listen can sign in as the configured owner, and stopping is orderly", async () => {
  const placeholder = Bun.serve({ port: 0, fetch: () => new Response() });
  const free = placeholder.port;
  await placeholder.stop(true);
  const child = Bun.spawn(
    [...PROGRAM, "serve", "--data", directory, "--http-port", String(free), "--mqtt-port", "0"],
    {
      env: { PATH: process.env.PATH ?? "", LINESIDE_OWNER_EMAIL: EMAIL, LINESIDE_OWNER_PASSWORD: PASSWORD },
      stdout: "ignore",
      stderr: "ignore",
    },
  );
  const signIn = () =>
    fetch(`http://127.0.0.1:${free}/idp/authorize`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: EMAIL, password: PASSWORD }),
    }).then(
      (response) => response.status,
      () => "refused",
    );
  let first = await signIn();
  while (first === "refused") {
    await Bun.sleep(5);
    first = await signIn();
  }
  expect(first).toBe(200);
  child.kill("SIGTERM");
  // Once more, as Ctrl-C under npm does: the stop that is in progress goes on.
  child.kill("SIGINT");
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
});

test("a telemetry file that is none is named, in one sentence", async () => {
  // As an earlier gateway has left it, and one file is not a database.
  const earlier = openDataDirectory(directory);
  openMainDatabase(earlier.file("lineside.db"), "lineside", createLogger("test")).close();
  earlier.release();
  await Bun.write(join(directory, "telemetry.db"), crypto.getRandomValues(new Uint8Array(10_000)));
  const child = Bun.spawn(
    [...PROGRAM, "serve", "--data", directory, "--http-port", "0", "--mqtt-port", "0"],
    {
      env: { PATH: process.env.PATH ?? "" },
      stdout: "ignore",
      stderr: "pipe",
    },
  );
  const lines = (await new Response(child.stderr).text()).trim().split("\n");
  expect(await child.exited).toBe(1);
  const shown = lines.filter((line) => !line.includes(" INFO "));
  expect(shown).toContain("  - telemetry.db is not a database: its first bytes are damaged");
  expect(shown.length).toBeLessThan(7);
});

test("a mistake in the configuration ends it with a code of its own", async () => {
  const child = Bun.spawn([...PROGRAM, "serve", "--data", directory, "--http-port", "no"], {
    env: { PATH: process.env.PATH ?? "" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  expect(await new Response(child.stderr).text()).toContain("--http-port must be an integer");
  expect(await child.exited).toBe(78);
});
