// A gateway that is killed while it restores a backup is afterwards the empty gateway or the restored one, and works as such.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROGRAM } from "../support/program.ts";
import { createTestApp, PASSWORD, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

/** `RESTORE_KILL_ROUNDS` asks for more. */
const ROUNDS = Number(process.env.RESTORE_KILL_ROUNDS ?? 3);
const EMAIL = "user1@one.example";
const PART_BYTES = 4_000;
let root: string;
let archive: Uint8Array;
/** From the first part until the restored gateway is ready. */
let durationMs: number;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "lineside-restore-kill-"));
  const source: TestApp = await createTestApp({ host: "one", directory: join(root, "source") });
  await source.signIn("TENANT_OWNER");
  await source.app.stop();
  const file = join(root, "gateway.backup");
  const command = ["backup", "--archive", file, "--data", join(root, "source")];
  expect(await Bun.spawn([...PROGRAM, ...command], { stdout: "ignore" }).exited).toBe(0);
  archive = await readFile(file);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Starts the gateway; resolves once it serves. */
async function launch(data: string) {
  const args = ["serve", "--data", data, "--http-port", "0", "--mqtt-port", "0", "--http-host", "127.0.0.1"];
  const child = Bun.spawn([...PROGRAM, ...args], {
    env: { PATH: process.env.PATH ?? "" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    void (async () => {
      for await (const chunk of stream) printed += Buffer.from(chunk).toString();
    })();
  /** The number of times that it became ready. */
  const starts = () => printed.split("lineside: ready").length - 1;
  await until(() => starts() === 1 || child.exitCode !== null);
  if (child.exitCode !== null) throw new Error(printed);
  return {
    starts,
    url: () => [...printed.matchAll(/url=(http:\/\/\S+)/g)].at(-1)?.[1] ?? "",
    link: () => /\/setup\?token=(\S+)/.exec(printed)?.[1],
    async kill() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

async function restore(url: string, token: string): Promise<void> {
  for (let offset = 0; offset < archive.length; offset += PART_BYTES) {
    const query = new URLSearchParams({ token, offset: String(offset), total: String(archive.length) });
    const body = archive.slice(offset, offset + PART_BYTES);
    const response = await fetch(`${url}/api/setup/restore/archive?${query}`, { method: "PUT", body });
    if (!response.ok) throw new Error(await response.text());
  }
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ token });
  const response = await fetch(`${url}/api/setup/restore`, { method: "POST", headers, body });
  expect(response.status).toBe(202);
}

async function expectWhole(data: string): Promise<"empty" | "restored"> {
  const gateway = await launch(data);
  try {
    const token = gateway.link();
    const response = await fetch(`${gateway.url()}/idp/authorize`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: EMAIL, password: PASSWORD }),
    });
    // A link is printed exactly where there is no owner.
    expect(response.status).toBe(token === undefined ? 200 : 401);
    for (const name of ["restoring", "restore-upload.backup"])
      expect(existsSync(join(data, name))).toBe(false);
    return token === undefined ? "restored" : "empty";
  } finally {
    await gateway.kill();
  }
}

async function freshGateway(name: string) {
  const data = join(root, name);
  mkdirSync(data);
  const gateway = await launch(data);
  return { data, gateway, token: gateway.link() ?? "" };
}

test("a restoration that nobody interrupts ends with the restored gateway in the same process", async () => {
  const { data, gateway, token } = await freshGateway("whole");
  const started = performance.now();
  await restore(gateway.url(), token);
  await until(() => gateway.starts() === 2);
  durationMs = performance.now() - started;
  await gateway.kill();
  expect(await expectWhole(data)).toBe("restored");
});

test(
  "a gateway that is killed at any moment of a restoration is the empty one or the restored one",
  async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { data, gateway, token } = await freshGateway(`round-${round}`);
      const restoring = restore(gateway.url(), token).catch(() => undefined); // it may be killed during a request
      await Bun.sleep(Math.random() * durationMs); // the random moment is the subject
      await gateway.kill();
      await restoring;
      await expectWhole(data);
    }
  },
  60_000 + ROUNDS * 10_000,
);
