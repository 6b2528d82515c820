import { version } from "../version.ts";
import { healthcheckCommand } from "./healthcheck.ts";
import { importCommand } from "./import.ts";
import { explain, serve } from "./serve.ts";
import { setupLinkCommand } from "./setup-link.ts";
import { simulateCommand } from "./simulate.ts";

interface Command {
  readonly summary: string;
  /** Resolves to the process's exit code. */
  run(args: readonly string[]): Promise<number>;
}

const commands: Record<string, Command> = {
  serve: { summary: "Run the gateway: HTTP, MQTT, console (what you get without a command)", run: serve },
  "setup-link": {
    summary: "Print a new link to the set-up page of a gateway without an owner",
    run: setupLinkCommand,
  },
  healthcheck: { summary: "Exit with 0 when the gateway serves", run: healthcheckCommand },
  simulate: { summary: "Run a small simulated factory against a running gateway", run: simulateCommand },
  import: { summary: "Replay CSV files of sensor data with their own time stamps", run: importCommand },
  version: {
    summary: "Print the version",
    async run() {
      console.log(`lineside ${version}`);
      return 0;
    },
  },
};

function help(): string {
  const rows = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(12)} ${summary}`);
  return `Lineside ${version}: device telemetry and management in one file.\n\nUsage: lineside [command] [--key value …]\n\nCommands:\n${rows.join("\n")}\n\nOptions of serve are listed in docs/configuration.md; each is also an environment variable (LINESIDE_…) and a key of lineside.toml.`;
}

/** Runs the command that the arguments name; `serve` when they name none. */
export async function runCommand(argv: readonly string[]): Promise<number> {
  const [first, ...rest] = argv;
  if (first === "--help" || first === "-h" || first === "help") {
    console.log(help());
    return 0;
  }
  if (first === "--version") return commands.version?.run([]) ?? 0;
  if (first === undefined || first.startsWith("--")) return serve(argv);
  const command = Object.hasOwn(commands, first) ? commands[first] : undefined;
  if (command === undefined) {
    console.error(`"${first}" is not a command.\n\n${help()}`);
    return 2;
  }
  try {
    return await command.run(rest);
  } catch (error) {
    return explain(error, `lineside ${first}:`);
  }
}
