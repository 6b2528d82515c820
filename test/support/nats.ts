import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect, type NodeConnectionOptions } from "@nats-io/transport-node";
import { freePort } from "./free-port.ts";

const path = Bun.which("nats-server", { PATH: `${process.env.PATH}:/usr/sbin` });
export const hasNats = path !== null;

export interface StoredMessage {
  readonly subject: string;
  readonly id: string;
  readonly text: string;
}

export interface Nats {
  readonly port: number;
  start(): Promise<void>;
  kill(): Promise<void>;
  /** What a stream holds, in order. */
  read(stream: string, options?: NodeConnectionOptions): Promise<StoredMessage[]>;
  stop(): Promise<void>;
}

/** A server with JetStream. `lines` are added to its configuration. */
export async function createNats(
  options: { lines?: (directory: string) => string[]; files?: Record<string, string> } = {},
): Promise<Nats> {
  const directory = mkdtempSync(join(tmpdir(), "lineside-nats-"));
  const port = await freePort();
  for (const [name, content] of Object.entries(options.files ?? {}))
    writeFileSync(join(directory, name), content);
  const config = join(directory, "nats.conf");
  writeFileSync(
    config,
    [
      `listen: "127.0.0.1:${port}"`,
      `jetstream { store_dir: "${directory}/data" }`,
      ...(options.lines?.(directory) ?? []),
      "",
    ].join("\n"),
  );
  let child: Bun.Subprocess | undefined;
  const nats: Nats = {
    port,
    async start() {
      child = Bun.spawn([path ?? "nats-server", "-c", config], { stdout: "ignore", stderr: "ignore" });
      while (!(await accepts(port))) {
        if (child.exitCode !== null) throw new Error(`nats-server has ended with ${child.exitCode}`);
        await Bun.sleep(10);
      }
    },
    async kill() {
      child?.kill("SIGKILL");
      await child?.exited;
    },
    async read(stream, more = {}) {
      const connection = await connect({ servers: [`127.0.0.1:${port}`], ...more });
      const manager = await jetstreamManager(connection);
      const { state } = await manager.streams.info(stream);
      const found: StoredMessage[] = [];
      for (let seq = state.first_seq; seq <= state.last_seq && state.messages > 0; seq++) {
        const message = await manager.streams.getMessage(stream, { seq });
        if (message === null) continue;
        const { subject, header, data } = message;
        found.push({ subject, id: header.get("Nats-Msg-Id"), text: new TextDecoder().decode(data) });
      }
      await connection.close();
      return found;
    },
    async stop() {
      await nats.kill();
      rmSync(directory, { recursive: true, force: true });
    },
  };
  await nats.start();
  return nats;
}

const accepts = (port: number): Promise<boolean> =>
  Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } }).then(
    (socket) => {
      socket.end();
      return true;
    },
    () => false,
  );
