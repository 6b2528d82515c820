import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseCommand } from "../../src/cli/arguments.ts";
import { ConfigError, loadConfig } from "../../src/platform/config/config.ts";
import { configGroups } from "../../src/platform/config/config-groups.ts";
import { configKeys } from "../../src/platform/config/config-keys.ts";
import { describeSystemError } from "../../src/platform/process/system-errors.ts";
import { PROGRAM } from "../support/program.ts";

/** Mistakes of people, and the exact words that they read: what failed, where, and what to do. */

const folder = mkdtempSync(join(tmpdir(), "lineside-mistakes-"));
const empty = join(folder, "empty");
mkdirSync(empty);
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, "lineside.toml");

/** Not for people: errnos, names of classes, patterns, the runtime's own words. */
const INTERNAL =
  /\bE[A-Z]{4,}\b|DomainError|TypeError|\[object|undefined|\\[dws]|\(\?|\^-|positional argument|Invalid TOML document/;

const wrongSettings = (args: readonly string[], env: Record<string, string> = {}): readonly string[] => {
  try {
    loadConfig(args, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
  return [];
};
const wrongFile = (text: string) => {
  writeFileSync(file, text);
  return wrongSettings(["--config", file]).map((mistake) => mistake.replaceAll(file, "FILE"));
};
const wrongOption = (...args: string[]): string => {
  const options = { to: { type: "string", help: "" }, json: { type: "boolean", help: "" } } as const;
  try {
    parseCommand(args, options);
  } catch (error) {
    return error instanceof Error ? error.message : "";
  }
  return "";
};
const systemError = (code: string) =>
  describeSystemError(Object.assign(new Error(`${code}: failed`), { code, path: "/data/x" })) ?? "";

const commandLine: ReadonlyArray<readonly [provoke: () => string | readonly string[], message: string]> = [
  [
    () => wrongSettings(["--htp-port", "1"]),
    '"--htp-port" is not an option (did you mean --http-port?). Use lineside serve --help to list the options.',
  ],
  [
    () => wrongSettings(["--zzzz", "1"]),
    '"--zzzz" is not an option. Use lineside serve --help to list the options.',
  ],
  [
    () => wrongSettings(["--http-port"]),
    "--http-port needs a value. Use lineside serve --help to list the options.",
  ],
  [
    () => wrongSettings(["--http-port", "99999"]),
    '--http-port must be an integer from 0 to 65535, or off (it is "99999").',
  ],
  [() => wrongSettings(["--tls", "maybe"]), '--tls must be one of off, auto, files (it is "maybe").'],
  [
    () => wrongSettings(["--config", "nope.toml"]),
    "The configuration file nope.toml does not exist. Correct --config or LINESIDE_CONFIG.",
  ],
  [
    () => wrongSettings([], { LINESIDE_HTP_PORT: "1" }),
    "LINESIDE_HTP_PORT is not a setting (did you mean LINESIDE_HTTP_PORT?).",
  ],
  [
    () => wrongSettings([], { LINESIDE_COMMIT_WINDOW_MS: "soon" }),
    'LINESIDE_COMMIT_WINDOW_MS must be an integer from 0 to 10000 (it is "soon").',
  ],
  [
    () => wrongSettings([], { LINESIDE_OWNER_EMAIL: "a@b.example" }),
    "LINESIDE_OWNER_EMAIL and LINESIDE_OWNER_PASSWORD go together.",
  ],
  [
    () => wrongSettings([], { LINESIDE_OWNER_EMAIL: "a@b.example", LINESIDE_OWNER_PASSWORD: "short" }),
    "LINESIDE_OWNER_PASSWORD must have 10 characters or more.",
  ],
  [
    () => wrongSettings(["--smtp-url", "mail.example"]),
    "smtp_url must be like smtp://user:password@mail.example:587; in user and password, % @ : and / are written as %25 %40 %3A and %2F.",
  ],
  [() => wrongSettings(["--smtp-from", "plant"]), "smtp_from must be an email address."],
  [() => wrongSettings(["--tls", "files"]), "tls = files needs tls_cert and tls_key."],
  [
    () => wrongSettings(["--http-port", "off"]),
    "http_port = off needs TLS on https_port, or the gateway could not be reached: set tls = auto or tls = files, and an https_port.",
  ],
  [
    () => wrongSettings(["--backup-to", "backups"]),
    "backup_to must be an absolute path, or begin with s3://.",
  ],
  [
    () => wrongSettings(["--outbound-allow", "gateway"]),
    "outbound_allow: gateway is neither an address nor a network like 10.0.0.0/8.",
  ],
  [
    () => wrongFile("http_port =\n"),
    "FILE, line 1, column 12 is not valid TOML: invalid value. Correct this line.",
  ],
  [
    () => wrongFile('a = 1\nhttp_port = "x"\n'),
    'FILE, line 2: http_port must be an integer from 0 to 65535, or off (it is "x").',
  ],
  [
    () => wrongFile("[http]\nprt = 1\n"),
    'FILE, line 2: "http_prt" is not a setting (did you mean http_port?).',
  ],
  [
    () => wrongOption("--jsn"),
    '"--jsn" is not an option. Did you mean --json? Use --help to list the options.',
  ],
  [() => wrongOption("--frob"), '"--frob" is not an option. Use --help to list the options.'],
  [() => wrongOption("-x"), '"-x" is not an option. Use --help to list the options.'],
  [() => wrongOption("--to"), "--to needs a value, for example --to=VALUE."],
  [() => wrongOption("--to", "--json"), "--to needs a value, for example --to=VALUE."],
  [() => wrongOption("--to", "-s3cret"), "--to needs a value, for example --to=VALUE."],
  [() => wrongOption("--json=yes"), '--json takes no value. Leave "=yes" out.'],
  [() => systemError("ENOSPC"), "The disk is full (/data/x). Free some space, then try again."],
  [
    () => systemError("EROFS"),
    "The disk is read-only (/data/x). Check its file system, then mount it writable.",
  ],
  [() => systemError("EACCES"), "Access was denied (/data/x). Check the owner and the permissions."],
  [() => systemError("EISDIR"), "A folder stands where a file is expected (/data/x). Move it away."],
  [() => systemError("ENOENT"), "A file or folder does not exist (/data/x). Check the path."],
  [() => systemError("ENOTDIR"), "A file stands where a folder is expected (/data/x). Check the path."],
  [
    () => systemError("EADDRINUSE"),
    "Another program uses this port (/data/x). Stop it, or choose another port.",
  ],
];

test.each(commandLine.map(([provoke, message]) => [message, provoke] as const))("%s", (message, provoke) => {
  expect([provoke()].flat()).toContain(message);
  expect(message).not.toMatch(INTERNAL);
});

test("each setting is in one group of the help", () => {
  const grouped: string[] = configGroups.flatMap(({ keys }) => keys);
  expect(grouped.toSorted()).toEqual(Object.keys(configKeys).toSorted());
  expect(configGroups[0]?.keys).toHaveLength(8);
});

const run = (...args: string[]) => runIn({}, ...args);

async function runIn(
  env: Record<string, string>,
  ...args: string[]
): Promise<[code: number, output: string]> {
  const child = Bun.spawn([...PROGRAM, ...args], {
    cwd: empty,
    env: { PATH: process.env.PATH ?? "", ...env },
    stdout: "pipe",
    stderr: "pipe",
  });
  const output = (await new Response(child.stdout).text()) + (await new Response(child.stderr).text());
  return [await child.exited, output];
}

test("a first start with a guessable password names the variable, and no start can help", async () => {
  const owner = { LINESIDE_OWNER_EMAIL: "a@b.example", LINESIDE_OWNER_PASSWORD: "password123" };
  const args = ["--data", join(empty, "data"), "--http-port", "0", "--mqtt-port", "0"];
  const [code, output] = await runIn(owner, "serve", ...args);
  expect(output).toContain("LINESIDE_OWNER_PASSWORD: This password is too easy to guess.");
  expect(code).toBe(78);
});

describe("the help of a command", () => {
  test.each([
    ["healthcheck", "--http-port", "--mqtt-port"],
    ["setup-link", "--data", "--mqtt-port"],
    ["user", "  list                     List the users of the gateway", "lists the users"],
    ["licenses", "The command has no options.", "MIT License"],
    ["version", "The command has no options.", "--data"],
    ["serve", "What most people set:", "undefined"],
    ["backup", "--to", "--http-port"],
  ])("%s is its own", async (name, contained, missing) => {
    const [code, help] = await run(name, "--help");
    expect([code, help]).toEqual([0, expect.stringContaining(contained)]);
    expect(help).not.toContain(missing);
    expect(await run("help", name)).toEqual([0, help]);
  });

  test("is suggested for an unknown command, by the nearest name", async () => {
    expect(await run("exprot")).toEqual([
      2,
      expect.stringMatching(/^"exprot" is not a command\. Did you mean "lineside export"\?\n/),
    ]);
    expect(await run("version", "--frob")).toEqual([
      1,
      'lineside version: "--frob" is not an option. The command has no options.\n',
    ]);
  });
});
