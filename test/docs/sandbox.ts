import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROGRAM } from "../support/program.ts";
import type { TestApp } from "../support/test-app.ts";

const programOf = (name: string): string => {
  const found = Bun.which(name);
  if (found === null) throw new Error(`the tests of documented commands need ${name}`);
  return found;
};

/** A directory in which `localhost:8080` and the other addresses of the texts are those of a gateway under test. */
export class Sandbox {
  readonly directory: string;
  readonly #env: Record<string, string>;
  /** Address of the gateway's HTTP, without the scheme. */
  readonly #host: string;

  private constructor(directory: string, host: string, env: Record<string, string>) {
    this.directory = directory;
    this.#host = host;
    this.#env = env;
  }

  static async create({ app, directory }: TestApp, env: Record<string, string>): Promise<Sandbox> {
    const place = await mkdtemp(join(tmpdir(), "lineside-sandbox-")); // backups must not lie in the data directory
    const bin = join(place, "bin");
    await mkdir(bin, { recursive: true });
    const { https, mqtt } = app.tlsPorts;
    const tools = {
      // Without --fail-with-body a refusal would look like a success.
      curl: `exec "${programOf("curl")}" -sS --fail-with-body --max-time 20 --connect-to localhost:8080:127.0.0.1:${new URL(app.url).port} --connect-to localhost:8443:127.0.0.1:${https} "$@"`,
      mosquitto_pub: `args=(); while (($#)); do case $1 in -p) shift 2;; *) args+=("$1"); shift;; esac; done
case " \${args[*]} " in *" --cafile "*) port=${mqtt};; *) port=${app.mqttPort};; esac
exec "${programOf("mosquitto_pub")}" -p $port "\${args[@]}"`,
      lineside: `exec ${PROGRAM.map((word) => `"${word}"`).join(" ")} "$@"`,
    };
    for (const [name, text] of Object.entries(tools)) {
      await writeFile(join(bin, name), `#!/usr/bin/env bash\n${text}\n`);
      await chmod(join(bin, name), 0o755);
    }
    return new Sandbox(place, new URL(app.url).host, {
      PATH: `${bin}:${process.env.PATH ?? ""}`,
      LINESIDE_DATA: directory,
      ...env,
    });
  }

  /** Puts the gateway's address into a program that does not use the sandbox's curl. */
  atGateway(program: string): string {
    return program.replaceAll("localhost:8080", this.#host);
  }

  remove(): Promise<void> {
    return rm(this.directory, { recursive: true });
  }

  write(name: string, text: string): Promise<void> {
    return writeFile(join(this.directory, name), text);
  }

  /** Ends at the first command that fails. */
  async run(script: string): Promise<{ code: number; output: string }> {
    const child = Bun.spawn([programOf("bash"), "-euo", "pipefail", "-c", script], {
      cwd: this.directory,
      env: this.#env,
      stdout: "pipe",
      stderr: "pipe",
    });
    const [stdout, stderr] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    return { code: await child.exited, output: stdout + stderr };
  }
}
