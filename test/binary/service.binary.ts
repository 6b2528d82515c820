// The unit for systemd: what it forbids is forbidden to the compiled program, which has to do a first start and all of its work.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../support/free-port.ts";
import { ServiceUnit } from "../support/service-unit.ts";
import { until } from "../support/until.ts";

const root = join(import.meta.dir, "..", "..");
const program = join(root, "dist", `lineside-linux-${process.arch}`);
const unitFile = join(root, "docs", "lineside.service");
const restrict = join(root, "test", "support", "restricted.py");
const unit = new ServiceUnit(unitFile);
const PYTHON = "/usr/bin/python3";
const EMAIL = "owner@plant.example";
const PASSWORD = "a long enough password 7";

const succeeds = (...command: string[]) =>
  existsSync(command[0] ?? "") &&
  Bun.spawnSync(command, { stdio: ["ignore", "ignore", "ignore"] }).exitCode === 0;
const analyze = Bun.which("systemd-analyze");
const hasSeccomp = analyze !== null && succeeds(PYTHON, "-c", "import seccomp");
if (!hasSeccomp && process.env.CI) throw new Error("systemd and python3-seccomp must be installed in CI");
if (!hasSeccomp)
  console.warn("not run: the unit's restrictions, without systemd-analyze and python3-seccomp");

const bubblewrap = Bun.which("bwrap") ?? "";
/** A container may forbid namespaces. */
const hasNamespaces = succeeds(bubblewrap, "--unshare-user", "--ro-bind", "/", "/", "--dev", "/dev", "true");
if (!hasNamespaces)
  console.warn("not run: the unit's view of the file system, without bubblewrap or without namespaces");

let directory: string;
let data: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "lineside-service-"));
  data = join(directory, "data");
  mkdirSync(data, { mode: 0o700 });
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Returns the command under the unit's system calls and address families. */
const underFilters = (...command: string[]) => {
  const rules = {
    allowed: unit.systemCalls(),
    families: unit.all("RestrictAddressFamilies").flatMap((line) => line.split(" ")),
    error: unit.all("SystemCallErrorNumber")[0] ?? "EPERM",
  };
  return [PYTHON, restrict, JSON.stringify(rules), ...command];
};

/** Returns the command as a user without privileges, who sees the file system as the unit shows it. */
const underSystem = (command: readonly string[]) => {
  const hides = (key: string, ...paths: string[]) =>
    unit.has(key, "yes") ? paths.flatMap((path) => ["--tmpfs", path]) : [];
  return [
    ...[bubblewrap, "--unshare-user", "--uid", "61184", "--gid", "61184", "--die-with-parent"],
    ...(unit.has("ProtectSystem", "strict") ? ["--ro-bind", "/", "/"] : ["--bind", "/", "/"]),
    ...(unit.has("PrivateDevices", "yes") ? ["--dev", "/dev"] : []),
    ...[...hides("PrivateTmp", "/tmp", "/var/tmp"), ...hides("ProtectHome", "/home", "/root")],
    ...["--tmpfs", "/var/lib", "--bind", data, "/var/lib/lineside", "--chdir", "/var/lib/lineside"],
    ...["--ro-bind", program, "/tmp/lineside", "--ro-bind", restrict, "/tmp/restricted.py"],
    ...command.map((part) =>
      part.replaceAll(restrict, "/tmp/restricted.py").replaceAll(program, "/tmp/lineside"),
    ),
  ];
};

/** Returns the gateway's process: bubblewrap stays as its parent, and passes no signal on. */
function processOf(pid: number): number {
  if (!readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith(`${bubblewrap}\0`)) return pid;
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ");
  return Number(child);
}

async function start(command: readonly string[], env: Record<string, string>) {
  const port = await freePort();
  const child = Bun.spawn([...command], {
    env: {
      PATH: process.env.PATH ?? "",
      LINESIDE_HTTP_HOST: "127.0.0.1",
      LINESIDE_HTTP_PORT: String(port),
      LINESIDE_HTTPS_PORT: "0",
      LINESIDE_MQTT_HOST: "127.0.0.1",
      LINESIDE_MQTT_PORT: "0",
      LINESIDE_MQTT_TLS_PORT: "0",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const outputs = [child.stdout, child.stderr].map((stream) => new Response(stream).text());
  const url = `http://127.0.0.1:${port}`;
  const isReady = () =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(async () => child.exitCode !== null || (await isReady()));
  return {
    url,
    async stop() {
      process.kill(processOf(child.pid), "SIGTERM");
      const code = await child.exited;
      return { code, output: (await Promise.all(outputs)).join("") };
    },
  };
}

async function post(url: string, body: unknown, token = "") {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  return (await response.json()) as any;
}

async function doesFirstStart(command: readonly string[], dataPath: string): Promise<void> {
  const gateway = await start(command, { LINESIDE_DATA: dataPath, LINESIDE_HTTP_HOST: "0.0.0.0" });
  const { code, output } = await gateway.stop();
  expect([code, output]).toEqual([0, expect.stringContaining("/setup?token=")]);
  expect(output).toContain(" ready ");
}

/** TLS, a script in a process of its own and telemetry: what needs more of the system than an answer does. */
async function doesItsWork(command: readonly string[], dataPath: string): Promise<void> {
  const gateway = await start(command, {
    LINESIDE_DATA: dataPath,
    LINESIDE_OWNER_EMAIL: EMAIL,
    LINESIDE_OWNER_PASSWORD: PASSWORD,
    LINESIDE_TLS: "auto",
  });
  const { code: signInCode } = await post(`${gateway.url}/idp/authorize`, {
    email: EMAIL,
    password: PASSWORD,
  });
  const { accessToken } = await post(`${gateway.url}/api/auth/exchange`, { code: signInCode });
  const source = "function decodeUplink({ bytes }) { return { data: { t: bytes[0] } }; }";
  const path = "/api/integrations/codecs/preview";
  const { result } = await post(gateway.url + path, { source, frame: "2a" }, accessToken);
  expect(result).toEqual({ t: 42 });
  const endless = await post(gateway.url + path, { source: "new Array(1e9).join('x')" }, accessToken);
  expect(endless.error.code).toBe("script.overrun");
  const { credentials } = await post(
    `${gateway.url}/api/devices`,
    { name: "a", deviceType: "b" },
    accessToken,
  );
  const { status } = await fetch(`${gateway.url}/api/v1/${credentials.token}/telemetry`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"temperature":21.5}',
  });
  expect(status).toBe(200);
  const { code, output } = await gateway.stop();
  expect([code, output]).toEqual([0, expect.stringContaining("HTTPS server listening")]);
}

describe("the unit", () => {
  test.if(analyze !== null)("is understood by systemd", () => {
    const file = join(directory, "lineside.service");
    writeFileSync(file, unit.text.replaceAll("/usr/local/bin/lineside", program));
    const { exitCode, stderr } = Bun.spawnSync([analyze ?? "", "verify", file]);
    const complaints = stderr
      .toString()
      .split("\n")
      // Known since systemd 254.
      .filter((line) => line !== "" && !/Unknown key (name )?'Restart(Steps|MaxDelaySec)'/.test(line));
    expect([exitCode, complaints]).toEqual([0, []]);
  });

  test.if(hasSeccomp)("lets a first start print the setup link, with the addresses of the machine", () =>
    doesFirstStart(underFilters(program, "serve"), data),
  );

  test.if(hasSeccomp)("allows what the gateway does", () =>
    doesItsWork(underFilters(program, "serve"), data),
  );

  test.if(hasSeccomp && hasNamespaces)("shows enough of the file system", async () => {
    chmodSync(directory, 0o755);
    const command = underSystem(underFilters(program, "serve"));
    await doesFirstStart(command, "/var/lib/lineside");
    await doesItsWork(command, "/var/lib/lineside");
  });

  test.if(hasSeccomp)("forbids what the gateway never does", () => {
    const kernelLog =
      "import ctypes; libc = ctypes.CDLL(None, use_errno=True); print(libc.klogctl(10, 0, 0))";
    const packets = "import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)";
    const outputOf = (code: string) => {
      const { stdout, stderr } = Bun.spawnSync(underFilters(PYTHON, "-c", code));
      return stdout.toString() + stderr.toString();
    };
    expect(outputOf(kernelLog).trim()).toBe("-1");
    expect(outputOf(packets)).toContain("Address family not supported");
  });
});

describe("lineside service install", () => {
  const run = (...args: string[]) => {
    const { exitCode, stdout, stderr } = Bun.spawnSync([program, "service", "install", ...args]);
    return { code: exitCode, output: stdout.toString() + stderr.toString() };
  };
  const installedUnit = () => join(directory, "etc/systemd/system/lineside.service");

  test("prints the unit", () => {
    expect(run("--print")).toEqual({ code: 0, output: unit.text });
  });

  test("puts the program and the unit into place, and says how to go on", () => {
    const { code, output } = run("--root", directory);
    expect([code, output]).toEqual([0, expect.stringContaining("systemctl enable --now lineside")]);
    expect(readFileSync(installedUnit(), "utf8")).toBe(unit.text);
    const installed = Bun.spawnSync([join(directory, "usr/local/bin/lineside"), "--version"]);
    expect(installed.exitCode).toBe(0);
  });

  test("keeps a unit that somebody has changed, until it is told to replace it", () => {
    run("--root", directory);
    writeFileSync(installedUnit(), "[Service]\n");
    const { code, output } = run("--root", directory);
    expect([code, output]).toEqual([1, expect.stringContaining("--replace")]);
    expect(readFileSync(installedUnit(), "utf8")).toBe("[Service]\n");
    expect(run("--root", directory, "--replace").code).toBe(0);
    expect(readFileSync(installedUnit(), "utf8")).toBe(unit.text);
  });

  test("is undone by uninstall, which keeps data and settings", () => {
    run("--root", directory);
    const [installed, settings] = [
      join(directory, "usr/local/bin/lineside"),
      join(directory, "etc/lineside"),
    ];
    for (const folder of [settings, join(directory, "var/lib/lineside")])
      mkdirSync(folder, { recursive: true });
    writeFileSync(`${installed}.previous`, "");
    writeFileSync(join(settings, "environment"), "LINESIDE_TLS=auto");
    writeFileSync(join(directory, "var/lib/lineside/lineside.db"), "data");
    const uninstall = () => Bun.spawnSync([program, "service", "uninstall", "--root", directory]);
    expect([uninstall().exitCode, existsSync(installedUnit())]).toEqual([0, false]);
    expect([existsSync(installed), existsSync(`${installed}.previous`)]).toEqual([false, false]);
    expect(existsSync(join(settings, "environment"))).toBe(true);
    expect(existsSync(join(directory, "var/lib/lineside/lineside.db"))).toBe(true);
    const again = uninstall();
    expect([again.exitCode, again.stderr.toString()]).toEqual([1, expect.stringContaining("no service")]);
  });

  test.if(hasNamespaces)("says that it needs root", () => {
    const command = [bubblewrap, "--unshare-user", "--uid", "1000", "--ro-bind", "/", "/", "--dev", "/dev"];
    const { exitCode, stderr } = Bun.spawnSync([...command, program, "service", "install"]);
    expect([exitCode, stderr.toString()]).toEqual([1, expect.stringContaining("run it with sudo")]);
  });
});
