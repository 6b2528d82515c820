import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { freePort } from "./free-port.ts";
import { until } from "./until.ts";

/** Debian keeps the programs of each version in a folder of their own. */
function findPrograms(): string | null {
  const root = "/usr/lib/postgresql";
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  return (
    versions.map((version) => join(root, version, "bin")).find((path) => existsSync(join(path, "initdb"))) ??
    null
  );
}
const programs = findPrograms();
if (programs === null && process.env.CI) throw new Error("postgresql must be installed in CI");

export const hasPostgres = programs !== null;

export const postgresOwner = { user: "owner", password: "secret" };

/** PostgreSQL on loopback, which keeps its data over a restart. */
export interface Postgres {
  readonly port: number;
  start(): Promise<void>;
  /** SIGKILL is a crash; SIGINT ends it at once in good order. */
  kill(signal: "SIGINT" | "SIGKILL"): Promise<void>;
  /** As the owner of everything, in the database `postgres`. */
  query<Row = Record<string, unknown>>(text: string): Promise<Row[]>;
  /** A connection of the same owner, which the test closes. */
  connect(): SQL;
  stop(): Promise<void>;
}

/** The server refuses to run as root. */
function asUser(owner: { uid: number; gid: number } | undefined, command: string[]): string[] {
  if (owner === undefined) return command;
  return ["setpriv", `--reuid=${owner.uid}`, `--regid=${owner.gid}`, "--clear-groups", ...command];
}

export async function createPostgres(
  options: { tls?: { cert: string; key: string }; settings?: readonly string[] } = {},
): Promise<Postgres> {
  const directory = mkdtempSync(join(tmpdir(), "lineside-postgres-"));
  const data = join(directory, "data");
  const port = await freePort();
  const lines = (text: string) => Bun.spawnSync(["id", text, "postgres"]).stdout.toString().trim();
  const owner =
    process.geteuid?.() === 0 ? { uid: Number(lines("-u")), gid: Number(lines("-g")) } : undefined;
  const give = (path: string) => owner !== undefined && chownSync(path, owner.uid, owner.gid);
  const write = (name: string, content: string) => {
    writeFileSync(join(directory, name), content, { mode: 0o600 });
    give(join(directory, name));
  };
  give(directory);
  write("password", postgresOwner.password);
  const program = (name: string) => join(programs ?? "", name);
  const created = Bun.spawnSync(
    asUser(owner, [
      program("initdb"),
      ...["-D", data, "-U", postgresOwner.user, "--pwfile", join(directory, "password")],
      ...["-A", "scram-sha-256", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions"],
    ]),
  );
  if (created.exitCode !== 0) throw new Error(created.stderr.toString());
  const settings = [
    `port=${port}`,
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "shared_buffers=16MB",
    ...(options.settings ?? []),
  ];
  if (options.tls !== undefined) {
    write("server.crt", options.tls.cert);
    write("server.key", options.tls.key);
    settings.push("ssl=on", `ssl_cert_file=${directory}/server.crt`, `ssl_key_file=${directory}/server.key`);
  }
  let child: Bun.Subprocess | undefined;
  const connect = () =>
    new SQL({
      adapter: "postgres",
      hostname: "127.0.0.1",
      port,
      database: "postgres",
      username: postgresOwner.user,
      password: postgresOwner.password,
      tls: "disable",
      max: 1,
    });
  const postgres: Postgres = {
    port,
    connect,
    async start() {
      const command = [program("postgres"), "-D", data, ...settings.flatMap((setting) => ["-c", setting])];
      await until(async () => {
        // It does not start while processes of one that was killed have not noticed that yet.
        if (child === undefined || child.exitCode !== null)
          child = Bun.spawn(asUser(owner, command), { stdout: "ignore", stderr: "ignore" });
        return postgres.query("SELECT 1").then(
          () => true,
          () => false,
        );
      });
    },
    async kill(signal) {
      child?.kill(signal);
      await child?.exited;
      child = undefined;
    },
    async query(text) {
      const sql = connect();
      try {
        return [...(await sql.unsafe(text))];
      } finally {
        await sql.close({ timeout: 0 });
      }
    },
    async stop() {
      await postgres.kill("SIGINT");
      rmSync(directory, { recursive: true, force: true });
    },
  };
  await postgres.start();
  return postgres;
}
