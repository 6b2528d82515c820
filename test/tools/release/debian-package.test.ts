// The package for Debian, installed, upgraded, removed and purged by dpkg itself below a folder. systemctl is a script that notes its calls.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { debianArchitecture, writeDebianPackage } from "../../../src/tools/release/debian-package.ts";

const hasDpkg = Bun.which("dpkg") !== null && process.getuid?.() === 0;
const unit = readFileSync(join(import.meta.dir, "..", "..", "..", "docs", "lineside.service"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "lineside-deb-"));
const machine = join(folder, "machine");
const calls = join(folder, "calls");
const below = (path: string) => join(machine, path);
const architecture = process.arch === "arm64" ? "linux-arm64" : "linux-x64";

const write = (version: string) =>
  writeDebianPackage(folder, {
    version,
    target: architecture,
    executable: Buffer.from(`#!/bin/sh\necho ${version}\n`),
    unit,
    licenses: "MIT",
    changes: "- Everything.",
    madeAt: new Date("2026-11-01T00:00:00Z"),
  });

function run(program: string, ...args: string[]) {
  const path = `${join(folder, "bin")}:${process.env.PATH}`;
  const { status, stdout, stderr } = spawnSync(program, args, {
    encoding: "utf8",
    env: { ...process.env, PATH: path, CALLS: calls, DEBIAN_FRONTEND: "noninteractive" },
  });
  return { status, output: `${stdout}${stderr}` };
}

const dpkg = (...args: string[]) =>
  run("dpkg", `--root=${machine}`, "--force-script-chrootless", "--force-depends", ...args);

function takeCalls(): string[] {
  const lines = existsSync(calls) ? readFileSync(calls, "utf8").trim().split("\n") : [];
  rmSync(calls, { force: true });
  return lines;
}

const version = () => run(below("usr/bin/lineside")).output.trim();

beforeAll(() => {
  for (const path of ["var/lib/dpkg/info", "var/lib/dpkg/updates", "run/systemd/system", "var/lib/lineside"])
    mkdirSync(below(path), { recursive: true });
  for (const name of ["status", "available"]) writeFileSync(below(`var/lib/dpkg/${name}`), "");
  writeFileSync(below("var/lib/lineside/lineside.db"), "data");
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin", "systemctl"), '#!/bin/sh\necho "$*" >> "$CALLS"\n', { mode: 0o755 });
});
afterAll(() => rmSync(folder, { recursive: true }));

test("only targets that Debian runs have a package", () => {
  expect([debianArchitecture("linux-arm64"), debianArchitecture("linux-x64-musl")]).toEqual([
    "arm64",
    undefined,
  ]);
});

describe.skipIf(!hasDpkg)("dpkg (skipped without dpkg or as another user than root)", () => {
  test("refuses it beside a service that was installed by hand", async () => {
    const file = join(folder, await write("0.1.0-rc.1"));
    mkdirSync(below("etc/systemd/system"), { recursive: true });
    writeFileSync(below("etc/systemd/system/lineside.service"), unit);
    const { status, output } = dpkg("--install", file);
    expect(status).not.toBe(0);
    expect(output).toContain("sudo lineside service uninstall");
    expect(existsSync(below("usr/bin/lineside"))).toBe(false);
    rmSync(below("etc/systemd/system/lineside.service"));
    expect(takeCalls()).toEqual([]);
  });

  test("installs it, and starts the service", async () => {
    const { status, output } = dpkg("--install", join(folder, await write("0.1.0-rc.1")));
    expect({ status, output }).toMatchObject({ status: 0 });
    expect(output).toContain("journalctl -u lineside");
    expect(version()).toBe("0.1.0-rc.1");
    expect(takeCalls()).toEqual(["daemon-reload", "enable --now lineside"]);
    expect(statSync(below("etc/lineside/environment")).mode & 0o777).toBe(0o600);
    expect(statSync(below("usr/bin/lineside"))).toMatchObject({ uid: 0, gid: 0 });
    const installed = readFileSync(below("usr/lib/systemd/system/lineside.service"), "utf8");
    expect(installed).toContain("\nExecStart=/usr/bin/lineside serve\n");
    expect(installed).not.toContain("/usr/local");
    expect(dpkg("--verify", "lineside")).toEqual({ status: 0, output: "" });
  });

  test("upgrades it to the release after it, with the settings of the site, and starts it again only if it ran", async () => {
    writeFileSync(below("etc/lineside/environment"), "LINESIDE_TLS=auto\n");
    const { status, output } = dpkg("--install", join(folder, await write("0.1.0")));
    expect({ status, output }).toMatchObject({ status: 0 });
    expect(output).not.toContain("downgrading");
    expect(version()).toBe("0.1.0");
    expect(readFileSync(below("etc/lineside/environment"), "utf8")).toBe("LINESIDE_TLS=auto\n");
    expect(takeCalls()).toEqual(["daemon-reload", "try-restart lineside"]);
  });

  test("goes back to the package before it", async () => {
    const { status, output } = dpkg("--install", join(folder, await write("0.1.0-rc.1")));
    expect({ status }).toEqual({ status: 0 });
    expect(output).toContain("downgrading");
    expect(version()).toBe("0.1.0-rc.1");
    takeCalls();
  });

  test("removes it with what updates have left, and keeps settings and data; purge takes the settings", () => {
    writeFileSync(below("usr/bin/lineside.previous"), "old");
    expect(dpkg("--remove", "lineside")).toMatchObject({ status: 0 });
    expect(takeCalls()).toEqual(["disable --now lineside", "daemon-reload"]);
    for (const path of ["usr/bin/lineside", "usr/bin/lineside.previous"])
      expect(existsSync(below(path))).toBe(false);
    expect(existsSync(below("etc/lineside/environment"))).toBe(true);
    const { status, output } = dpkg("--purge", "lineside");
    expect(status).toBe(0);
    expect(output).toContain("is kept");
    expect(existsSync(below("etc/lineside/environment"))).toBe(false);
    expect(readFileSync(below("var/lib/lineside/lineside.db"), "utf8")).toBe("data");
  });

  test("reads its description and its list of files", async () => {
    const file = join(folder, await write("0.1.0"));
    const { output } = run("dpkg-deb", "--info", file);
    expect(output).toContain("Package: lineside");
    const { output: listing } = run("dpkg-deb", "--contents", file);
    expect(listing).toMatch(/^-rwxr-xr-x root\/root +\d+ .* \.\/usr\/bin\/lineside$/m);
    expect(listing).toMatch(/^drwxr-xr-x root\/root .* \.\/etc\/lineside\/$/m);
  });
});
