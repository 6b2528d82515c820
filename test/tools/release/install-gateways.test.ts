// The script that installs many gateways by ssh. ssh and scp are scripts: a host is a folder, and what runs there runs below it.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const script = join(import.meta.dir, "..", "..", "..", "docs", "install-gateways.sh");
const folder = mkdtempSync(join(tmpdir(), "lineside-hosts-"));
const hosts = join(folder, "hosts");
const settings = join(folder, "settings");
const executable = join(folder, "lineside-linux-x64");
const bin = join(folder, "bin");

const program = (path: string, text: string) => writeFileSync(path, `#!/bin/sh\n${text}`, { mode: 0o755 });

/** The last two arguments of ssh are the host and the command; those before are options. */
const SSH = `while [ $# -gt 2 ]; do shift; done
root="$HOSTS/$1"
[ -d "$root" ] || { echo "ssh: connect to host $1 port 22: No route to host" >&2; exit 255; }
cd "$root/home" && echo "$2" >> "$root/commands"
HOST_ROOT="$root" sh -c "$(echo "$2" | sed "s#/etc/lineside#$root/etc/lineside#g")"
`;
const SCP = `while [ $# -gt 2 ]; do shift; done
host="\${2%%:*}"
[ -d "$HOSTS/$host" ] || exit 255
cp "$1" "$HOSTS/$host/home/\${2#*:}"
`;

function addHost(name: string): void {
  mkdirSync(join(hosts, name, "home"), { recursive: true });
  writeFileSync(join(settings, `${name}.env`), `LINESIDE_OWNER_PASSWORD=secret-of-${name}\n`);
}

const run = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync("sh", [script, ...args], {
    encoding: "utf8",
    env: { ...process.env, HOSTS: hosts, PATH: `${bin}:${process.env.PATH}` },
  });
  return { status, output: stdout, errors: stderr };
};

beforeAll(() => {
  for (const path of [hosts, settings, bin]) mkdirSync(path);
  program(join(bin, "ssh"), SSH);
  program(join(bin, "scp"), SCP);
  program(join(bin, "sudo"), 'exec "$@"\n');
  program(join(bin, "seq"), "echo 1 2 3\n");
  program(join(bin, "sleep"), "exit 0\n");
  program(
    join(bin, "systemctl"),
    '[ ! -e "$HOST_ROOT/no-systemd" ] && echo "$*" >> "$HOST_ROOT/systemctl"\n',
  );
  program(join(bin, "lineside"), '[ -e "$HOST_ROOT/systemctl" ] && [ ! -e "$HOST_ROOT/never-ready" ]\n');
  program(executable, 'cp "$0" "$HOST_ROOT/installed"\n');
});
afterAll(() => rmSync(folder, { recursive: true }));

test("without a folder with settings it says how to use it, and does nothing", () => {
  expect(run()).toMatchObject({ status: 2, output: "" });
  expect(run(executable, settings)).toEqual({
    status: 2,
    output: "",
    errors: `There is no file *.env in ${settings}.\n`,
  });
});

test("installs every gateway, with its settings in a file that only root reads and on no command line", () => {
  for (const name of ["gateway-01", "gateway-02"]) addHost(name);
  const { status, output } = run(executable, settings);
  expect(output).toBe("gateway-01: ready\ngateway-02: ready\nAll 2 gateways are ready.\n");
  expect(status).toBe(0);
  for (const name of ["gateway-01", "gateway-02"]) {
    const root = join(hosts, name);
    const file = join(root, "etc", "lineside", "environment");
    expect(readFileSync(file, "utf8")).toBe(`LINESIDE_OWNER_PASSWORD=secret-of-${name}\n`);
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(existsSync(join(root, "installed"))).toBe(true);
    expect(readdirSync(join(root, "home"))).toEqual([]);
    expect(readFileSync(join(root, "systemctl"), "utf8")).toBe(
      "daemon-reload\nenable lineside\nrestart lineside\n",
    );
    expect(readFileSync(join(root, "commands"), "utf8")).not.toContain("secret-of");
  }
});

test("goes on after a gateway that fails, and names it with what failed", () => {
  for (const name of ["gateway-03", "gateway-04"]) addHost(name);
  writeFileSync(join(settings, "gateway-00.env"), "\n"); // no such host
  writeFileSync(join(hosts, "gateway-03", "no-systemd"), "");
  writeFileSync(join(hosts, "gateway-04", "never-ready"), "");
  const { status, output } = run(executable, settings);
  expect(output.trim().split("\n")).toEqual([
    "gateway-00: FAILED to copy the executable",
    "gateway-01: ready",
    "gateway-02: ready",
    "gateway-03: FAILED to start the service",
    "gateway-04: FAILED to be ready within 60 seconds",
    "Failed: gateway-00 gateway-03 gateway-04",
  ]);
  expect(status).toBe(1);
});
