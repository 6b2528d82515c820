import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ApiClient, connectApi } from "../../src/cli/api-client.ts";
import { PROGRAM } from "../support/program.ts";
import { publishPacket } from "./load-packets.ts";
import type { LoadResult } from "./mqtt-load.ts";

const TICKS_PER_SECOND = 100;
const IDLE_SECONDS = 3;
/** Part of one processor. */
const BUSY_SHARE = 0.1;
const OWNER = { email: "owner@bench.example", password: "a long enough password 7" };

export interface Gateway {
  readonly url: string;
  readonly mqttPort: number;
  readonly directory: string;
  readonly pid: number;
  /** From the start of the process to its ready line, in ms. */
  readonly readyMs: number;
  /** Resolves when the process has ended, for whatever reason. */
  readonly exited: Promise<number>;
  signIn(): Promise<ApiClient>;
  /** Writes a line to its input. */
  say(line: string): void;
  kill(signal: "SIGTERM" | "SIGKILL"): Promise<void>;
}

export const temporaryDirectory = (): string => mkdtempSync(join(tmpdir(), "lineside-bench-"));
export const remove = (directory: string): void => rmSync(directory, { recursive: true, force: true });

/** A C file of this directory built to be preloaded; undefined where there is no C compiler. */
export function buildPreload(directory: string, name: string): string | undefined {
  const compiler = Bun.which("cc");
  if (compiler === null) return undefined;
  const library = join(directory, `${name}.so`);
  const source = join(import.meta.dir, `${name}.c`);
  const { exitCode } = Bun.spawnSync(
    [compiler, "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl", "-lpthread"],
    { stderr: "inherit" },
  );
  return exitCode === 0 ? library : undefined;
}

function statusMb(pid: number, field: string): number {
  const kb = new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kb ?? 0) / 1024;
}

/** Resident memory of a process in MB. */
export const residentMb = (pid: number): number => statusMb(pid, "VmRSS");

/** Returns the part of it in MB that holds data of the process, without pages of its executable, which come and go with what it does. */
export const anonymousMb = (pid: number): number => statusMb(pid, "RssAnon");

/** Returns the seconds of processor time that a process has taken so far. */
export function cpuSeconds(pid: number): number {
  // The name of the program, in brackets, may contain spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Resolves when a process has done next to nothing for three seconds: what it does in the background is over. */
export async function untilIdle(pid: number): Promise<void> {
  for (let idleSeconds = 0; idleSeconds < IDLE_SECONDS; ) {
    const before = cpuSeconds(pid);
    await Bun.sleep(1_000);
    idleSeconds = cpuSeconds(pid) - before < BUSY_SHARE ? idleSeconds + 1 : 0;
  }
}

export async function readUntil(
  stream: ReadableStream<Uint8Array>,
  pattern: RegExp,
): Promise<RegExpExecArray> {
  let text = "";
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`it ended before it was ready: ${text}`);
    text += new TextDecoder().decode(value);
    const match = pattern.exec(text);
    if (match) {
      reader.releaseLock();
      return match;
    }
  }
}

/** A separate Lineside process, of the binary that `LINESIDE_BENCH_BINARY` names or as other tests start it. `wrapper` is a command that runs it. */
export function startGateway(
  directory: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
  wrapper: readonly string[] = [],
): Promise<Gateway> {
  const binary = process.env.LINESIDE_BENCH_BINARY;
  const program = binary === undefined ? PROGRAM : [binary];
  const command = [
    ...wrapper,
    ...program,
    "serve",
    "--data",
    directory,
    "--http-port",
    "0",
    "--mqtt-port",
    "0",
    "--http-host",
    "127.0.0.1",
    "--mqtt-host",
    "127.0.0.1",
    ...args,
  ];
  return spawnGateway(directory, command, env);
}

/** A gateway that a tool of this directory runs, which makes the telemetry store seal all blocks for each line `compact` on its input. */
export function startSealingGateway(directory: string): Promise<Gateway> {
  return spawnGateway(directory, [process.execPath, join(import.meta.dir, "sealing-gateway.ts"), directory]);
}

async function spawnGateway(
  directory: string,
  command: readonly string[],
  env: Record<string, string> = {},
): Promise<Gateway> {
  const startedAt = performance.now();
  const child = Bun.spawn([...command], {
    env: {
      ...process.env,
      LINESIDE_OWNER_EMAIL: OWNER.email,
      LINESIDE_OWNER_PASSWORD: OWNER.password,
      ...env,
    },
    stdin: "pipe",
    stdout: "ignore",
    stderr: "pipe",
  });
  const ready = await readUntil(child.stderr, /ready .*url=(\S+) mqttPort=(\d+)/);
  const readyMs = performance.now() - startedAt;
  void child.stderr.pipeTo(new WritableStream());
  const url = ready[1] ?? "";
  return {
    url,
    mqttPort: Number(ready[2]),
    directory,
    pid: child.pid,
    readyMs,
    exited: child.exited,
    signIn: () => connectApi({ url, ...OWNER }),
    say(line) {
      child.stdin.write(`${line}\n`);
      child.stdin.flush();
    },
    async kill(signal) {
      child.kill(signal);
      await child.exited;
    },
  };
}

export interface Peer {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Resolves to true once the process listens at the port, and to false if it ends before. */
async function listens(child: { readonly exitCode: number | null }, port: number): Promise<boolean> {
  while (child.exitCode === null) {
    try {
      const socket = await Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } });
      socket.end();
      return true;
    } catch {
      await Bun.sleep(20);
    }
  }
  return false;
}

const MOSQUITTO_STARTS = 5;

/**
 * Mosquitto with everything in memory, as Debian ships it; undefined when it is not installed. Its own default leaves Nagle's algorithm on: so
 * acknowledgements of many messages share a segment, and it takes about 1.6 times as many messages.
 */
export async function startMosquitto({ isNagleOff = false } = {}): Promise<Peer | undefined> {
  const path = Bun.which("mosquitto", { PATH: `${process.env.PATH}:/usr/sbin` });
  if (path === null) return undefined;
  const directory = temporaryDirectory();
  const config = join(directory, "mosquitto.conf");
  for (let start = 0; start < MOSQUITTO_STARTS; start++) {
    const port = 20_000 + Math.floor(Math.random() * 12_000); // below those of outgoing connections
    await Bun.write(
      config,
      `listener ${port} 127.0.0.1\nallow_anonymous true\nmax_inflight_messages 0\nmax_queued_messages 0\nset_tcp_nodelay ${isNagleOff}\n`,
    );
    const child = Bun.spawn([path, "-c", config], { stdout: "ignore", stderr: "ignore" });
    // Another program may have the port.
    if (!(await listens(child, port))) continue;
    return {
      port,
      pid: child.pid,
      async stop() {
        child.kill();
        await child.exited;
        remove(directory);
      },
    };
  }
  throw new Error("Mosquitto does not start");
}

/** Bare Aedes on this runtime. */
export async function startAedes(): Promise<Peer> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "aedes-peer.ts")], {
    stdout: "pipe",
    stderr: "inherit",
  });
  const [, port = "0"] = await readUntil(child.stdout, /(\d+)/);
  return {
    port: Number(port),
    pid: child.pid,
    async stop() {
      child.kill();
      await child.exited;
    },
  };
}

export interface HttpLoad {
  readonly url: string;
  readonly seconds: number;
  readonly connections: number;
  readonly contentType: string;
  /** Beside those that every request has. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Path, U+0001 and body, used in turn by the connections; `#TS#` becomes a timestamp of its own. */
  readonly requests: readonly string[];
}

/** Runs the HTTP load generator to its end. */
export async function runHttpLoad(load: HttpLoad): Promise<LoadResult & { refused: number }> {
  const { hostname, port } = new URL(load.url);
  const child = Bun.spawn(
    [
      process.execPath,
      join(import.meta.dir, "http-load.ts"),
      hostname,
      port,
      String(load.seconds),
      String(load.connections),
      [
        load.contentType,
        ...Object.entries(load.headers ?? {}).map(([name, value]) => `${name}: ${value}`),
      ].join("\r\n"),
      ...load.requests,
    ],
    { stdout: "pipe", stderr: "inherit" },
  );
  const output = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error("the load generator failed");
  return JSON.parse(output) as LoadResult & { refused: number }; // its own one line
}

export interface Load {
  readonly port: number;
  readonly seconds: number;
  readonly connections: number;
  readonly window: number;
  readonly qos: 0 | 1;
  readonly topic: string;
  readonly users?: readonly string[];
  /** Messages a second of all connections together; as fast as they are acknowledged when left out. */
  readonly rate?: number;
}

/** Runs the load generator to its end. */
export async function runLoad(load: Load): Promise<LoadResult> {
  const directory = temporaryDirectory();
  const names = join(directory, "users");
  await Bun.write(names, load.users?.join(",") ?? "-"); // ten thousand are too many for a command line
  const { port, seconds, connections, window, qos, topic } = load;
  const args = [port, seconds, connections, window, qos, topic, `@${names}`, load.rate ?? 0].map(String);
  const command = [process.execPath, join(import.meta.dir, "mqtt-load.ts"), "127.0.0.1", ...args];
  const child = Bun.spawn(command, { stdout: "pipe", stderr: "inherit" });
  const output = await new Response(child.stdout).text();
  remove(directory);
  if ((await child.exited) !== 0) throw new Error("the load generator failed");
  return JSON.parse(output) as LoadResult; // its own one line
}

/** The rate at which the generator can be acknowledged by something that does nothing. */
export async function measureCeiling(load: Omit<Load, "port" | "users">): Promise<LoadResult> {
  const packetBytes = publishPacket(load.topic, load.qos, 0).length;
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "ack-sink.ts"), String(packetBytes)], {
    stdout: "pipe",
  });
  const [, port = "0"] = await readUntil(child.stdout, /(\d+)/);
  const result = await runLoad({ ...load, port: Number(port) });
  child.kill();
  return result;
}

const CREATED_AT_ONCE = 16;

export async function createDevices(api: ApiClient, count: number, prefix = "load"): Promise<BenchDevice[]> {
  const devices: BenchDevice[] = [];
  const create = async (index: number): Promise<BenchDevice> => {
    const body = { name: `${prefix} ${index}`, deviceType: "bench" };
    const { deviceId, credentials } = await api.post<{ deviceId: string; credentials: { token: string } }>(
      "/api/devices",
      body,
    );
    return { deviceId, token: credentials.token };
  };
  while (devices.length < count) {
    const next = Array.from({ length: Math.min(CREATED_AT_ONCE, count - devices.length) }, (_, offset) =>
      create(devices.length + offset),
    );
    devices.push(...(await Promise.all(next)));
  }
  return devices;
}

export interface BenchDevice {
  readonly deviceId: string;
  readonly token: string;
}
