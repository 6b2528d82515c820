import { existsSync, globSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** Folder in which `.ci/run` installs programs for tests that Debian does not package. */
const folder = join(homedir(), ".cache/lineside-peers");

/** Telegraf is built from its module: `GOBIN=~/.cache/lineside-peers/bin go install github.com/influxdata/telegraf/cmd/telegraf@v1.37.2`. */
export const telegraf = Bun.which("telegraf", { PATH: `${process.env.PATH}:${join(folder, "bin")}` });

/** Paho for Java: `mvn dependency:copy -Dartifact=org.eclipse.paho:org.eclipse.paho.client.mqttv3:1.2.5 -DoutputDirectory=~/.cache/lineside-peers/java`. */
const pahoJar = join(folder, "java/org.eclipse.paho.client.mqttv3-1.2.5.jar");

/** The command that runs a Java file with Paho, or null. */
export const javaWithPaho =
  Bun.which("java") !== null && existsSync(pahoJar) ? ["java", "-cp", pahoJar] : null;

/** Returns the directory of an installed package of npm, or null. */
export function npmPeer(name: string): string | null {
  const directory = join(folder, "node_modules", name);
  return requireInCi(name, existsSync(directory) ? directory : null);
}

/** Returns the Python interpreter that has the modules, or null. CI may lack them where no package index of Python is reachable. */
export function pythonPeer(...modules: string[]): string | null {
  const python = join(folder, "python/bin/python");
  const has = modules.every(
    (module) => globSync(join(folder, `python/lib/*/site-packages/${module}`)).length > 0,
  );
  return has ? python : null;
}

/** Directory for `PYTHONPATH` of programs that need version 2 of Paho, which others do not work with; null if the module is missing. */
export function pahoTwoModules(module: string): string | null {
  const directory = join(folder, "paho-2");
  return existsSync(join(directory, module)) ? directory : null;
}

function requireInCi(name: string, path: string | null): string | null {
  if (path === null && process.env.CI) throw new Error(`${name} must be installed in CI`);
  return path;
}

/** A program that prints what it hears, line by line. */
export class Peer {
  readonly #child: Bun.Subprocess<"ignore", "pipe", "inherit">;
  readonly #lines: AsyncIterator<string>;

  constructor(args: readonly string[], env: Record<string, string> = {}) {
    this.#child = Bun.spawn([...args], {
      ...{ stdin: "ignore", stdout: "pipe", stderr: "inherit" },
      env: { ...process.env, ...env },
    });
    this.#lines = linesOf(this.#child.stdout);
  }

  async line(): Promise<string> {
    const { done, value } = await this.#lines.next();
    if (done) throw new Error(`the peer has ended with ${await this.#child.exited}`);
    return value;
  }

  // biome-ignore lint/suspicious/noExplicitAny: whatever the script prints
  async json(): Promise<any> {
    return JSON.parse(await this.line());
  }

  async end(): Promise<void> {
    this.#child.kill();
    await this.#child.exited;
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
      yield text.slice(0, end);
      text = text.slice(end + 1);
    }
  }
}

/** Runs a program to its end. */
export async function runPeer(
  command: readonly string[],
  input = "",
): Promise<{ code: number; output: string; errors: string }> {
  const child = Bun.spawn([...command], { stdin: Buffer.from(input), stdout: "pipe", stderr: "pipe" });
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, output, errors };
}
