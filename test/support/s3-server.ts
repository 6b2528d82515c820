import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { until } from "./until.ts";

const projectBin = join(import.meta.dir, "../../node_modules/.bin");
const program = Bun.which("s3rver", { PATH: `${projectBin}:${process.env.PATH}` });

export const hasS3Server = program !== null;

/** s3rver, a real S3-compatible server on loopback, which keeps its objects over a restart. Key and secret are `S3RVER`. */
export interface S3Server {
  readonly port: number;
  start(): Promise<void>;
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export async function createS3Server(bucket: string): Promise<S3Server> {
  const directory = mkdtempSync(join(tmpdir(), "lineside-s3-server-"));
  const port = await freePort();
  let child: Bun.Subprocess | undefined;
  const server: S3Server = {
    port,
    async start() {
      const options = ["-d", directory, "-a", "127.0.0.1", "-p", `${port}`, "--silent"];
      child = Bun.spawn([program ?? "s3rver", ...options, "--configure-bucket", bucket], {
        stdio: ["ignore", "ignore", "ignore"],
      });
      await until(() =>
        fetch(`http://127.0.0.1:${port}`).then(
          () => true,
          () => false,
        ),
      );
    },
    async kill() {
      child?.kill("SIGKILL");
      await child?.exited;
    },
    async stop() {
      await server.kill();
      rmSync(directory, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}
