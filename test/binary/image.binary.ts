// The container image of a release: the program starts in its file system alone, as its user, and the health check sees it.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeContainerImage } from "../../src/tools/release/container-image.ts";
import { readContainerSystem } from "../../src/tools/release/container-system.ts";
import { debianArchitecture } from "../../src/tools/release/debian-package.ts";
import { freePort } from "../support/free-port.ts";
import { until } from "../support/until.ts";

const root = join(import.meta.dir, "..", "..");
const target = `linux-${process.arch}`;
const bubblewrap = Bun.which("bwrap") ?? "";
const needed = ["--unshare-user", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "true"];
const canRun =
  bubblewrap !== "" &&
  Bun.which("apt-get") !== null &&
  Bun.spawnSync([bubblewrap, ...needed], { stderr: "ignore" }).exitCode === 0;
if (!canRun) console.warn("not run: the container image, without bubblewrap, namespaces or apt");

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "lineside-container-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Unpacks the layers of an image in their order, and returns the config. */
async function unpackImage(file: string, into: string) {
  const blobs = join(folder, "blobs");
  mkdirSync(blobs);
  const run = (...command: string[]) => expect(Bun.spawnSync(command).exitCode).toBe(0);
  run("tar", "-xf", file, "-C", blobs);
  const [{ Config, Layers }] = JSON.parse(readFileSync(join(blobs, "manifest.json"), "utf8"));
  // An engine makes the mount points.
  for (const mountPoint of ["proc", "dev"]) mkdirSync(join(into, mountPoint), { recursive: true });
  for (const layer of Layers) run("tar", "-xpzf", join(blobs, layer), "-C", into);
  return JSON.parse(readFileSync(join(blobs, Config), "utf8")).config;
}

test.skipIf(!canRun)(
  "starts, is ready, keeps its data and stops",
  async () => {
    const system = await readContainerSystem(debianArchitecture(target) ?? "");
    expect(system.map(({ path }) => path)).toContain("/usr/share/doc/libc6/copyright");
    const name = await writeContainerImage(folder, {
      version: "0.0.0",
      target,
      commit: "0000000",
      executable: readFileSync(join(root, "dist", `lineside-${target}`)),
      system,
      dockerfile: readFileSync(join(root, "Dockerfile"), "utf8"),
      madeAt: new Date(0),
    });
    const files = join(folder, "files");
    const config = await unpackImage(join(folder, name), files);
    const data = join(folder, "data");
    mkdirSync(data);
    const [uid, gid] = config.User.split(":");
    const httpPort = await freePort();
    const env = [...config.Env, `LINESIDE_HTTP_PORT=${httpPort}`, `LINESIDE_MQTT_PORT=${await freePort()}`];
    const inside = (...command: string[]) => [
      ...[bubblewrap, "--unshare-user", "--uid", uid, "--gid", gid, "--die-with-parent"],
      ...["--ro-bind", files, "/", "--bind", data, "/data", "--proc", "/proc", "--dev", "/dev", "--clearenv"],
      ...env.flatMap((pair: string) => ["--setenv", ...pair.split(/=(.*)/).slice(0, 2)]),
      ...["--chdir", config.WorkingDir, "--", ...command],
    ];
    const gateway = Bun.spawn(inside(...config.Entrypoint), { stdout: "pipe", stderr: "pipe" });
    try {
      const check = () => Bun.spawnSync(inside(...config.Healthcheck.Test.slice(1))).exitCode;
      await until(() => check() === 0, "the health check");
      const home = await fetch(`http://127.0.0.1:${httpPort}/`);
      expect(home.status).toBe(200);
    } finally {
      gateway.kill("SIGTERM");
    }
    await gateway.exited;
    expect(readFileSync(join(data, "gateway.json"), "utf8")).toContain("{");
  },
  60_000,
);
