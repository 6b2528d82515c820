import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../support/free-port.ts";
import { PROGRAM } from "../../support/program.ts";

const START_MS_MAX = 60_000;
const ROOT = join(import.meta.dir, "../../..");

export interface RunningApp {
  readonly url: string;
  readonly mqttPort: number;
  /** The single-use link that the first start prints. */
  readonly setupLink: string;
  /** Ends the process but keeps its data and ports. */
  halt(): Promise<void>;
  resume(): Promise<void>;
  stop(): Promise<void>;
}

async function launch(args: string[]) {
  const command = [...PROGRAM, "serve", ...args];
  const child = Bun.spawn(command, { cwd: ROOT, stdout: "pipe", stderr: "pipe" });
  let printed = "";
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) printed += decoder.decode(chunk, { stream: true });
  };
  collect(child.stdout);
  collect(child.stderr);
  const halt = async () => {
    child.kill();
    await child.exited;
  };
  const deadline = Date.now() + START_MS_MAX;
  while (!printed.includes("lineside: ready")) {
    if (Date.now() > deadline || child.exitCode !== null) {
      await halt();
      throw new Error(`the program did not get ready:\n${printed}`);
    }
    await Bun.sleep(25);
  }
  return { printed, halt };
}

/** The real program as its own process, on an empty data directory. */
export async function startApp(
  settings: readonly string[] = [],
  wanted: { httpPort?: number } = {},
): Promise<RunningApp> {
  const data = await mkdtemp(join(tmpdir(), "lineside-browser-"));
  const [httpPort, mqttPort] = [wanted.httpPort ?? (await freePort()), await freePort()];
  const ports = ["--http-port", String(httpPort), "--mqtt-port", String(mqttPort)];
  const args = [
    "--data",
    data,
    "--http-host",
    "127.0.0.1",
    "--mqtt-host",
    "127.0.0.1",
    ...ports,
    ...settings,
  ];
  let running = await launch(args);
  const link = new URL(running.printed.match(/http:\/\/\S+\/setup\?token=\S+/)?.[0] ?? "http://no-link");
  const url = `http://127.0.0.1:${httpPort}`;
  return {
    url,
    mqttPort,
    setupLink: url + link.pathname + link.search,
    halt: () => running.halt(),
    resume: async () => {
      running = await launch(args);
    },
    stop: async () => {
      await running.halt();
      await rm(data, { recursive: true, force: true });
    },
  };
}
