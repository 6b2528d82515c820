import "../platform/config/production.ts"; // before anything that loads Elysia
import { suggest } from "../lib/strings/suggest.ts";
import { describeKind } from "../platform/config/config.ts";
import { configGroups } from "../platform/config/config-groups.ts";
import { type ConfigKey, configKeys, flagOf, type KeyDefinition } from "../platform/config/config-keys.ts";
import { version, versionText } from "../version.ts";
import { explain } from "./commands/explain.ts";

interface Command {
  /** Line in the help. Commands that the gateway runs itself have none. */
  readonly summary?: string;
  /** Settings that the command uses, for its help. */
  readonly settings?: "all" | readonly ConfigKey[];
  /** True if the command has neither options nor arguments. */
  readonly takesNothing?: true;
  /** Resolves to the exit code of the process. */
  run(args: readonly string[]): Promise<number>;
}

const serve: Command["run"] = async (args) => (await import("./commands/serve.ts")).serve(args);

/** All commands. Each loads its own file when it runs, so the gateway does not load the simulator, and a health check does not load the gateway. */
const commands: Record<string, Command> = {
  serve: {
    summary: "Run the gateway with HTTP, MQTT and the console; this is the default command",
    settings: "all",
    run: serve,
  },
  "setup-link": {
    summary: "Print a new link that sets up a gateway without an owner",
    settings: ["data", "public_url", "http_host", "http_port", "tls", "https_port"],
    run: async (args) => (await import("./commands/setup-link.ts")).setupLinkCommand(args),
  },
  user: {
    summary: "List, add, disable and delete users; reset passwords",
    run: async (args) => (await import("./commands/user.ts")).userCommand(args),
  },
  healthcheck: {
    summary: "Exit with code 0 if the gateway is serving",
    settings: ["data", "http_host", "http_port"],
    run: async (args) => (await import("./commands/healthcheck.ts")).healthcheckCommand(args),
  },
  apikey: {
    summary: "List, create and revoke API keys",
    run: async (args) => (await import("./commands/api-key.ts")).apiKeyCommand(args),
  },
  tenant: {
    summary: "List tenants and plans; change the plan of a tenant",
    run: async (args) => (await import("./commands/tenant.ts")).tenantCommand(args),
  },
  outbox: {
    summary: "List, read and resend the emails of the gateway, even without a mail server",
    run: async (args) => (await import("./commands/outbox.ts")).outboxCommand(args),
  },
  service: {
    summary: "Install or uninstall the gateway as a systemd service",
    run: async (args) => (await import("./commands/service.ts")).serviceCommand(args),
  },
  backup: {
    summary: "Back up a gateway while it runs, to a folder, S3-compatible storage or one file",
    run: async (args) => (await import("./commands/backup.ts")).backupCommand(args),
  },
  restore: {
    summary: "Restore a backup into a data directory",
    run: async (args) => (await import("./commands/restore.ts")).restoreCommand(args),
  },
  "set-aside": {
    summary: "Start without a damaged, missing or foreign file",
    run: async (args) => (await import("./commands/set-aside.ts")).setAsideCommand(args),
  },
  keys: {
    summary: "Replace the keys in secrets/, or create lost ones",
    run: async (args) => (await import("./commands/keys.ts")).keysCommand(args),
  },
  update: {
    summary: "Install a signed update file; go back when the new version does not start",
    run: async (args) => (await import("./commands/update.ts")).updateCommand(args),
  },
  "update-watch": {
    run: async (args) => (await import("./update-watch.ts")).updateWatchCommand(args),
  },
  export: {
    summary: "Save the setup of a gateway as a site file (YAML)",
    run: async (args) => (await import("./commands/export.ts")).exportCommand(args),
  },
  apply: {
    summary: "Set up a gateway from a site file, after showing the plan",
    run: async (args) => (await import("./commands/apply.ts")).applyCommand(args),
  },
  check: {
    summary: "Read all files of a gateway, and name what is damaged",
    run: async (args) => (await import("./commands/check.ts")).checkCommand(args),
  },
  "support-bundle": {
    summary: "Save a file for support: version, settings without secrets, log, state of the files",
    run: async (args) => (await import("./commands/support-bundle.ts")).supportBundleCommand(args),
  },
  simulate: {
    summary: "Simulate a small factory that sends to a running gateway",
    run: async (args) => (await import("./commands/simulate.ts")).simulateCommand(args),
  },
  import: {
    summary: "Import CSV and NDJSON files of sensor data with their own timestamps",
    run: async (args) => (await import("./commands/import.ts")).importCommand(args),
  },
  "script-host": {
    run: async () => (await import("./script-host.ts")).scriptHostCommand(),
  },
  licenses: {
    summary: "Print the licenses of Lineside and of the packages inside it",
    takesNothing: true,
    run: async () => (await import("./commands/licenses.ts")).licensesCommand(),
  },
  version: {
    summary: "Print the version and the commit that it was built from",
    takesNothing: true,
    async run() {
      console.log(versionText());
      return 0;
    },
  },
};

/** Commands with a summary, by the heading of the help and of docs/cli.md. */
export const commandGroups: Readonly<Record<string, readonly string[]>> = {
  "Run the gateway": ["serve", "service", "setup-link", "healthcheck", "update"],
  "Users and keys": ["user", "apikey", "tenant", "outbox"],
  "Backup and repair": ["backup", "restore", "check", "set-aside", "keys", "support-bundle"],
  "Setup and data": ["export", "apply", "import", "simulate"],
  About: ["licenses", "version"],
};

export const summaryOf = (name: string): string => commands[name]?.summary ?? "";

/** Returns the commands that the help must list. */
export const documentedCommands = (): readonly string[] =>
  Object.keys(commands).filter((name) => summaryOf(name) !== "");

function help(): string {
  const groups = Object.entries(commandGroups).map(
    ([title, names]) =>
      `${title}:\n${names.map((name) => `  ${name.padEnd(14)} ${summaryOf(name)}`).join("\n")}`,
  );
  return `Lineside ${version}: device telemetry and management in one file.\n\nUsage: lineside [command] [--option value …]\n\n${groups.join("\n\n")}\n\nRun lineside <command> --help for the options of a command.`;
}

const HELP_WIDTH = 100;

/** Wraps a description into indented lines. */
function wrap(text: string): string {
  const lines: string[] = [""];
  for (const word of text.split(" "))
    if (`${lines.at(-1)} ${word}`.length > HELP_WIDTH) lines.push(word);
    else lines.push(`${lines.pop()} ${word}`.trim());
  return lines.map((line) => `      ${line}`).join("\n");
}

function describeSettings(keys: readonly ConfigKey[]): string {
  const rows = keys.map((key) => {
    const definition: KeyDefinition = configKeys[key];
    const fallback = definition.default === undefined ? [] : [`default: ${definition.default}`];
    const notes = [...(definition.kind.type === "text" ? [] : [describeKind(definition.kind)]), ...fallback];
    const noted = notes.length === 0 ? "" : ` (${notes.join("; ")})`;
    // Descriptions are Markdown, for the page of settings.
    return `  ${flagOf(key)}\n${wrap(`${definition.description.replaceAll("`", '"')}${noted}`)}`;
  });
  return rows.join("\n");
}

const SETTINGS_HINT =
  "Each setting can also be an environment variable (LINESIDE_HTTP_PORT for --http-port) or a key of lineside.toml (http_port).\n--config selects another file.";

/** Returns the help of a command without options of its own. */
function commandHelp(name: string, { summary = "", settings }: Command): string {
  const title = `Usage: lineside ${name}${settings === undefined ? "" : " [--option value …]"}\n\n${summary}.`;
  if (settings === undefined) return `${title}\n\nThe command has no options.`;
  const groups =
    settings === "all" ? configGroups : [{ title: "Settings that this command uses", keys: settings }];
  const parts = groups.map(({ title: group, keys }) => `${group}:\n\n${describeSettings(keys)}`);
  return [title, SETTINGS_HINT, ...parts].join("\n\n");
}

const asksForHelp = (args: readonly string[]) => args.some((arg) => arg === "--help" || arg === "-h");

function refuseUnknown(name: string): number {
  const meant = suggest(name, Object.keys(commands));
  const hint = meant === undefined ? "" : ` Did you mean "lineside ${meant}"?`;
  console.error(`"${name}" is not a command.${hint}\n\n${help()}`);
  return 2;
}

/** Runs the command in the arguments; `serve` by default. */
export async function runCommand(argv: readonly string[]): Promise<number> {
  const [first, ...rest] = argv;
  if (first === "help" && rest.length > 0) return runCommand([...rest, "--help"]);
  if (first === "--help" || first === "-h" || first === "help") {
    console.log(help());
    return 0;
  }
  if (first === "--version") return runCommand(["version", ...rest]);
  if (first === undefined || first.startsWith("--")) return serve(argv);
  return runNamed(first, rest);
}

async function runNamed(first: string, rest: readonly string[]): Promise<number> {
  const command = Object.hasOwn(commands, first) ? commands[first] : undefined;
  if (command === undefined) return refuseUnknown(first);
  if ((command.settings !== undefined || command.takesNothing) && asksForHelp(rest)) {
    console.log(commandHelp(first, command));
    return 0;
  }
  if (command.takesNothing && rest.length > 0) {
    console.error(`lineside ${first}: "${rest[0]}" is not an option. The command has no options.`);
    return 1;
  }
  try {
    return await command.run(rest);
  } catch (error) {
    return explain(error, `lineside ${first}:`);
  }
}
