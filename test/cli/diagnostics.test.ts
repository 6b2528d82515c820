// `lineside check` and `lineside support-bundle`, beside a running gateway and without one; the setup link for machines.

import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FORM_RAW, HotLog } from "../../src/modules/telemetry/store/hot/hot-log.ts";
import { mountLoopDisk } from "../support/loop-disk.ts";
import { PROGRAM } from "../support/program.ts";

const directory = mkdtempSync(join(tmpdir(), "lineside-test-"));
const data = join(directory, "data");
const bundle = join(directory, "bundle.tar.gz");
const env = { PATH: process.env.PATH ?? "", LINESIDE_METRICS_TOKEN: "scrape me" };
let output = "";

async function run(...args: string[]) {
  const child = Bun.spawn([...PROGRAM, ...args, "--data", data], {
    env,
    stdout: "pipe",
    stderr: "pipe",
  });
  const texts = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, output: texts.join("") };
}

function serve() {
  const ports = [
    "--http-port",
    "0",
    "--mqtt-port",
    "0",
    "--http-host",
    "127.0.0.1",
    "--mqtt-host",
    "127.0.0.1",
  ];
  return Bun.spawn([...PROGRAM, "serve", ...ports, "--data", data, "--log-format", "json"], {
    env,
    stdout: "pipe",
    stderr: "ignore",
  });
}

async function namesInBundle(): Promise<string[]> {
  const files = await new Bun.Archive(await Bun.file(bundle).bytes()).files();
  return [...files.keys()].sort();
}

let gateway: ReturnType<typeof serve>;
beforeAll(async () => {
  gateway = serve();
  const reader = gateway.stdout.getReader();
  while (!output.includes("\n")) output += new TextDecoder().decode((await reader.read()).value);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test("the setup link is a line of JSON where the log is", () => {
  const { message, link } = JSON.parse(output);
  expect(message).toBe("open the link to set up the gateway");
  expect(new URL(link).searchParams.get("token")).toBeTruthy();
});

test("beside a running gateway, the check finds whole files and the bundle is the gateway's own", async () => {
  const { code, output: table } = await run("check");
  expect([code, table.match(/intact/g)?.length]).toEqual([0, 5]);
  expect((await run("support-bundle", "--to", bundle)).output).toStartWith("Saved: ");
  expect(await namesInBundle()).toContain("metrics.txt");
  expect(statSync(bundle).mode & 0o777).toBe(0o600);
});

test("without a gateway, damage is named by exit code 1, and the bundle says what the files tell", async () => {
  gateway.kill("SIGTERM");
  await gateway.exited;
  const log = new HotLog(join(data, "telemetry.db"), {
    isReadOnly: false,
    sealed: { id: 0, values: 0, time: undefined },
  });
  log.append({ form: FORM_RAW, data: new Uint8Array(40), values: 1 });
  log.close();
  const { code, output: table } = await run("check");
  expect([code, table]).toEqual([1, expect.stringContaining("telemetry.db: hot row 1: ")]);
  const [, , telemetry] = JSON.parse((await run("check", "--json")).output);
  expect(telemetry).toMatchObject({ name: "telemetry.db", problems: [expect.stringContaining("hot row 1")] });
  expect((await run("support-bundle", "--to", bundle)).output).toStartWith("The gateway does not answer");
  expect(await namesInBundle()).toEqual(["files.json", "gateway.json", "journal.txt", "settings.json"]);
  const files = await new Bun.Archive(await Bun.file(bundle).bytes()).files();
  expect(await files.get("settings.json")?.text()).not.toContain("scrape me");
});

test("a folder in place of a file is named", async () => {
  const synced = join(data, "mqtt.db-synced");
  rmSync(synced);
  mkdirSync(synced);
  const { code, output } = await run("check");
  expect([code, output]).toEqual([1, expect.stringContaining(`${synced} is a folder, but a file belongs`)]);
});

test("where there is no gateway's data, both say so", async () => {
  const child = Bun.spawn([...PROGRAM, "check", "--data", join(directory, "nothing")], {
    env,
    stdout: "pipe",
    stderr: "pipe",
  });
  expect(await new Response(child.stderr).text()).toContain("There is no gateway data");
  expect(await child.exited).not.toBe(0);
});

test("a check on a full disk reports no damage", async () => {
  const disk = mountLoopDisk(mkdtempSync(join(tmpdir(), "lineside-full-")), 2);
  if (disk === undefined) return console.warn("not run: only root can mount a file system");
  try {
    const database = new Database(join(disk.path, "lineside.db"));
    database.run("PRAGMA journal_mode=WAL");
    database.run("CREATE TABLE item (id INTEGER)");
    database.close();
    for (const bytes of [4_096, 64, 1])
      try {
        for (let part = 0; ; part++)
          writeFileSync(join(disk.path, `${bytes}-${part}`), Buffer.alloc(bytes * 16));
      } catch {
        // full
      }
    const child = Bun.spawn([...PROGRAM, "check", "--data", disk.path], { stdout: "pipe", stderr: "pipe" });
    const [output, errors] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    expect(output).toMatch(/lineside\.db +\S+ \S+ +not checked/);
    expect(errors).toBe("Free some space, or check the owner and the permissions. Then check again.\n");
  } finally {
    disk.unmount();
  }
});
