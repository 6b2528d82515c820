import { parseArgs } from "node:util";
import { suggest } from "../lib/strings/suggest.ts";
import { processEnv } from "../platform/config/config.ts";
import { StartupError } from "../platform/process/startup-error.ts";
import { type GatewayEndpoint, gatewayEndpointOf } from "./gateway-url.ts";

export interface CommandOption {
  readonly type: "string" | "boolean";
  readonly default?: string;
  readonly help: string;
}

/** Options for the connection to a running gateway. */
export const serverOptions = {
  url: { type: "string", help: "address of the gateway (default: the gateway on this machine)" },
  data: {
    type: "string",
    help: "data directory of the gateway on this machine (default: LINESIDE_DATA, or ./data)",
  },
  email: { type: "string", help: "email address to sign in with (default: LINESIDE_OWNER_EMAIL)" },
  password: { type: "string", help: "password to sign in with (default: LINESIDE_OWNER_PASSWORD)" },
  otp: { type: "string", help: "code of the authenticator app, if a second factor is enabled" },
  key: { type: "string", help: "API key to use instead of signing in (default: LINESIDE_API_KEY)" },
} as const satisfies Record<string, CommandOption>;

export interface ParsedArguments {
  readonly values: Readonly<Record<string, string | undefined>>;
  readonly flags: ReadonlySet<string>;
  readonly positionals: readonly string[];
}

/** @throws StartupError for an unknown option */
export function parseCommand(
  args: readonly string[],
  options: Record<string, CommandOption>,
): ParsedArguments {
  const shape = Object.fromEntries(
    Object.entries(options).map(([name, { type, default: fallback }]) => [
      name,
      fallback === undefined ? { type } : { type, default: fallback },
    ]),
  );
  try {
    const { values, positionals } = parseArgs({ args: [...args], options: shape, allowPositionals: true });
    const texts = Object.entries(values).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    );
    const flags = Object.entries(values).filter(([, value]) => value === true);
    return { values: Object.fromEntries(texts), flags: new Set(flags.map(([name]) => name)), positionals };
  } catch (error) {
    throw new StartupError(describeMistake(args, options), { cause: error });
  }
}

/** Describes a wrong argument, with the nearest option, which the message of the runtime lacks. */
function describeMistake(args: readonly string[], options: Record<string, CommandOption>): string {
  const unfinished = args.find((arg, index) => {
    const isString = options[arg.replace(/^--/, "")]?.type === "string";
    return arg.startsWith("--") && isString && (args[index + 1] ?? "-").startsWith("-");
  });
  // First, because the next argument may be a secret that begins with a hyphen, which errors must not repeat.
  if (unfinished !== undefined) return `${unfinished} needs a value, for example ${unfinished}=VALUE.`;
  for (const arg of args.filter((candidate) => candidate.startsWith("-"))) {
    const [flag = "", value] = arg.split(/=(.*)/s);
    const name = flag.replace(/^-+/, "");
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (option === undefined || !flag.startsWith("--")) {
      const meant = suggest(name, [...Object.keys(options), "help"]);
      const hint = meant === undefined ? "" : ` Did you mean --${meant}?`;
      return `"${flag}" is not an option.${hint} Use --help to list the options.`;
    }
    if (option.type === "boolean" && value !== undefined)
      return `${flag} takes no value. Leave "=${value}" out.`;
  }
  return "The options are not valid. Use --help to list them.";
}

/** Examples in the help, by command. */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  apikey: ["lineside apikey create line-3-script --role rw --days 365"],
  apply: ["LINESIDE_API_KEY=lsk_… lineside apply site plant.yaml --plan"],
  backup: [
    "lineside backup --to /mnt/backups",
    "lineside backup --to s3://plant/backups --endpoint https://s3.example",
    "lineside backup verify --to /mnt/backups",
  ],
  check: ["lineside check --data /var/lib/lineside"],
  export: [
    "LINESIDE_API_KEY=lsk_… lineside export site --to plant.yaml",
    "lineside export site --email ada@plant.example --password … --to plant.yaml",
  ],
  import: ["LINESIDE_API_KEY=lsk_… lineside import press.csv --device Press --timezone Europe/Berlin"],
  keys: ["lineside keys rotate jwt.key --data /var/lib/lineside"],
  outbox: ["lineside outbox show ada@plant.example"],
  restore: ["lineside restore --from /mnt/backups --data /var/lib/lineside"],
  service: ["sudo ./lineside-linux-x64 service install"],
  "set-aside": ["lineside set-aside mqtt.db --data /var/lib/lineside"],
  simulate: ["LINESIDE_API_KEY=lsk_… lineside simulate --devices 50 --rate 100 --seconds 600"],
  "support-bundle": ["lineside support-bundle --to /tmp/support.tar.gz"],
  tenant: ["lineside tenant plan basic --tenant 'Plant North'"],
  update: ["sudo lineside update lineside-0.2.0-linux-x64.update"],
  user: ["lineside user add ada@plant.example --role rw --name 'Ada Lovelace'"],
};

/** @param usage starts with `lineside` and the name of the command */
export function describeOptions(usage: string, options: Record<string, CommandOption>): string {
  const rows = Object.entries(options).map(([name, { help, default: fallback }]) => {
    const shown = fallback === undefined ? help : `${help} (default: ${fallback})`;
    return `  --${name.padEnd(16)} ${shown}`;
  });
  const examples = EXAMPLES[usage.split(" ")[1] ?? ""] ?? [];
  const shown = examples.length === 0 ? "" : `\n\nExamples:\n\n  ${examples.join("\n  ")}`;
  return `Usage: ${usage}\n\n${rows.join("\n")}${shown}`;
}

/** Prints the usage on request or without arguments, and returns the exit code; undefined otherwise. */
export function printHelp(
  args: readonly string[],
  usage: string,
  options: Record<string, CommandOption>,
): number | undefined {
  const asksForHelp = args.some((arg) => arg === "--help" || arg === "-h");
  if (args.length > 0 && !asksForHelp) return undefined;
  console.log(describeOptions(usage, options));
  return asksForHelp ? 0 : 2;
}

export type Credentials = GatewayEndpoint &
  (
    | { readonly key: string }
    | { readonly email: string; readonly password: string; readonly otp?: string | undefined }
  );

/** @throws StartupError if neither options nor environment contain credentials */
export function credentialsOf(values: Readonly<Record<string, string | undefined>>): Credentials {
  const env = processEnv();
  const gateway = values.url === undefined ? gatewayEndpointOf(values.data) : { url: values.url };
  const isPerson = values.email !== undefined || values.password !== undefined;
  const key = values.key ?? (isPerson ? undefined : env.LINESIDE_API_KEY);
  if (key !== undefined) return { ...gateway, key };
  const email = values.email ?? env.LINESIDE_OWNER_EMAIL;
  const password = values.password ?? env.LINESIDE_OWNER_PASSWORD;
  if (email === undefined || password === undefined)
    throw new StartupError(
      "Say who signs in: --email and --password (or LINESIDE_OWNER_EMAIL and LINESIDE_OWNER_PASSWORD), or --key (or LINESIDE_API_KEY).",
    );
  return { ...gateway, email, password, otp: values.otp };
}

/** @throws StartupError unless the option is a number within its bounds */
export function numberOf(
  values: Readonly<Record<string, string | undefined>>,
  name: string,
  bounds: { min: number; max: number },
): number {
  const number = Number(values[name]);
  if (!Number.isFinite(number) || number < bounds.min || number > bounds.max)
    throw new StartupError(`--${name} must be a number from ${bounds.min} to ${bounds.max}.`);
  return number;
}
