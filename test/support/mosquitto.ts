import { pbkdf2Sync, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectAsync, type IClientOptions, type MqttClient } from "mqtt";
import { freePort } from "./free-port.ts";

const path = Bun.which("mosquitto", { PATH: `${process.env.PATH}:/usr/sbin` });
if (path === null && process.env.CI) throw new Error("mosquitto must be installed in CI");

export const hasMosquitto = path !== null;

/** Somebody else's broker: a real one on loopback, which keeps what it must over a restart. */
export interface Mosquitto {
  readonly port: number;
  /** Kills it; SIGTERM lets it write down what it knows. */
  kill(signal: "SIGTERM" | "SIGKILL"): Promise<void>;
  start(): Promise<void>;
  client(options?: IClientOptions): Promise<MqttClient>;
  stop(): Promise<void>;
}

async function accepts(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ host: "127.0.0.1", port });
  socket.once("connect", () => resolve(true));
  socket.once("error", () => resolve(false));
  const response = await promise;
  socket.destroy();
  return response;
}

export async function createMosquitto(
  options: {
    /** Lines of its configuration, instead of a listener where anybody may do anything. */
    listener?: (port: number, directory: string) => string[];
    files?: Record<string, string>;
    lines?: string[];
  } = {},
): Promise<Mosquitto> {
  const directory = mkdtempSync(join(tmpdir(), "lineside-mosquitto-"));
  const port = await freePort();
  for (const [name, content] of Object.entries(options.files ?? {}))
    writeFileSync(join(directory, name), content);
  const listener = options.listener?.(port, directory) ?? [
    `listener ${port} 127.0.0.1`,
    "allow_anonymous true",
  ];
  const config = join(directory, "mosquitto.conf");
  writeFileSync(
    config,
    [
      ...listener,
      "persistence true",
      `persistence_location ${directory}/`,
      "max_queued_messages 0",
      // Started as root it would become another user, who cannot read what is here.
      "user root",
      ...(options.lines ?? []),
      "",
    ].join("\n"),
  );
  let child: Bun.Subprocess | undefined;
  const clients = new Set<MqttClient>();
  const mosquitto: Mosquitto = {
    port,
    async start() {
      child = Bun.spawn([path ?? "mosquitto", "-c", config], { stdout: "ignore", stderr: "ignore" });
      while (!(await accepts(port))) {
        if (child.exitCode !== null) throw new Error(`mosquitto has ended with ${child.exitCode}`);
        await Bun.sleep(10);
      }
    },
    async kill(signal) {
      child?.kill(signal);
      await child?.exited;
      child = undefined;
    },
    async client(clientOptions = {}) {
      const client = await connectAsync(`mqtt://127.0.0.1:${port}`, {
        reconnectPeriod: 20,
        ...clientOptions,
      });
      client.on("error", () => undefined);
      clients.add(client);
      return client;
    },
    async stop() {
      for (const client of clients) client.end(true);
      await mosquitto.kill("SIGTERM");
      rmSync(directory, { recursive: true, force: true });
    },
  };
  await mosquitto.start();
  return mosquitto;
}

/** As mosquitto_passwd writes it: PBKDF2 with SHA-512. */
export function passwordLine(user: string, password: string): string {
  const salt = randomBytes(12);
  const hash = pbkdf2Sync(password, salt, 101, 64, "sha512");
  return `${user}:$7$101$${salt.toString("base64")}$${hash.toString("base64")}\n`;
}
