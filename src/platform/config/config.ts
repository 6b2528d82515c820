import { lstatSync, readFileSync, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { parse as parseToml, TomlError } from "smol-toml";
import { isJsonObject } from "../../lib/json/json.ts";
import { parseRange } from "../../lib/network/ip-range.ts";
import { suggest } from "../../lib/strings/suggest.ts";
import { checkPublicUrl } from "../network/public-address.ts";
import { describeSystemError } from "../process/system-errors.ts";
import {
  type ConfigKey,
  configKeys,
  envOf,
  flagOf,
  type KeyDefinition,
  type KeyKind,
} from "./config-keys.ts";

type ValueOf<K extends KeyKind> = K extends { type: "integer" }
  ? number
  : K extends { type: "port" }
    ? PortSetting
    : K extends { type: "boolean" }
      ? boolean
      : K extends { type: "choice"; choices: readonly (infer Choice)[] }
        ? Choice
        : string;
type Keys = typeof configKeys;
/** TCP port; 0 for any free port, `off` for no listener. */
export type PortSetting = number | "off";

/** Effective configuration. Flags take precedence over the environment, `lineside.toml` and defaults. */
export type Config = {
  readonly [K in ConfigKey]: undefined extends Keys[K]["default"]
    ? string | undefined
    : ValueOf<Keys[K]["kind"]>;
};

/** All mistakes of the configuration, one sentence each. */
export class ConfigError extends Error {
  readonly mistakes: readonly string[];
  constructor(mistakes: readonly string[]) {
    super(mistakes.join("\n"));
    this.name = "ConfigError";
    this.mistakes = mistakes;
  }
}

function parseInteger(kind: { min: number; max: number }, raw: unknown): number | undefined {
  const number = typeof raw === "string" && /^-?\d+$/.test(raw.trim()) ? Number(raw) : raw;
  if (typeof number !== "number" || !Number.isSafeInteger(number)) return undefined;
  return number >= kind.min && number <= kind.max ? number : undefined;
}

function parsePort(raw: unknown): PortSetting | undefined {
  return raw === "off" ? "off" : parseInteger({ min: 0, max: 65_535 }, raw);
}

function parseBoolean(raw: unknown): boolean | undefined {
  const word = String(raw).toLowerCase();
  if (["true", "1", "on", "yes"].includes(word)) return true;
  return ["false", "0", "off", "no"].includes(word) ? false : undefined;
}

function parseValue(kind: KeyKind, raw: unknown): string | number | boolean | undefined {
  if (kind.type === "integer") return parseInteger(kind, raw);
  if (kind.type === "port") return parsePort(raw);
  if (kind.type === "boolean") return parseBoolean(raw);
  if (typeof raw !== "string" || raw === "") return undefined;
  return kind.type === "choice" && !kind.choices.includes(raw) ? undefined : raw;
}

export function describeKind(kind: KeyKind): string {
  if (kind.type === "integer") return `an integer from ${kind.min} to ${kind.max}`;
  if (kind.type === "port") return "an integer from 0 to 65535, or off";
  if (kind.type === "boolean") return "true or false";
  if (kind.type === "choice") return `one of ${kind.choices.join(", ")}`;
  return "a string";
}

const ENV_PREFIX = "LINESIDE_";
/** Variables of commands and of development, which are not settings of the gateway. */
const OTHER_VARIABLES: ReadonlySet<string> = new Set([
  "LINESIDE_CONFIG",
  "LINESIDE_API_KEY",
  "LINESIDE_COMMIT",
  "LINESIDE_ALL_SCREENS",
  "LINESIDE_README_IMAGES",
  "LINESIDE_BENCH_BINARY",
]);

/** Variables that Kubernetes sets in every container of a namespace with a service named "lineside". */
const FROM_ORCHESTRATOR = /^LINESIDE_(?:SERVICE_|PORT(?:_|$))/;

const isConfigKey = (name: string): name is ConfigKey => Object.hasOwn(configKeys, name);

const isFlag = (text: string | undefined): boolean => text?.startsWith("--") ?? false;
const isSwitch = (key: string): boolean => isConfigKey(key) && configKeys[key].kind.type === "boolean";

/** Joins `--key value` to `--key=value`, and converts a lone `--switch` to `--switch=true`. */
function joinValues(args: readonly string[]): string[] {
  return args.flatMap((arg, index) => {
    const previous = args[index - 1];
    const isValue =
      !isFlag(arg) && isFlag(previous) && !previous?.includes("=") && !isSwitch(keyOf(previous ?? ""));
    if (isValue) return [];
    if (!isFlag(arg) || arg.includes("=")) return [arg];
    const next = args[index + 1];
    if (isSwitch(keyOf(arg))) return [`${arg}=true`];
    return [next === undefined || isFlag(next) ? arg : `${arg}=${next}`];
  });
}

const keyOf = (flag: string): string => (flag.replace(/^--/, "").split("=")[0] ?? "").replaceAll("-", "_");

/** Raw values by key. */
function readFlags(args: readonly string[], mistakes: string[], command: string): Map<string, string> {
  const help = `Use lineside ${command} --help to list the options.`;
  const values = new Map<string, string>();
  for (const arg of joinValues(args)) {
    const [flag = "", value] = arg.split(/=(.*)/s);
    const key = keyOf(flag);
    if (!isFlag(flag) || !(isConfigKey(key) || key === "config"))
      mistakes.push(`"${flag}" is not an option${perhaps(key, flagOf)}. ${help}`);
    else if (value === undefined) mistakes.push(`${flag} needs a value. ${help}`);
    else values.set(key, value);
  }
  return values;
}

interface SettingsFile {
  readonly values: ReadonlyMap<string, unknown>;
  /** Returns the place of a key in the file: the path and, if it can be found, the line. */
  readonly placeOf: (key: string) => string;
}

/** Reads `lineside.toml`; a table's keys join its name by `_`, so `[http] port` is `http_port`. */
function readFile(path: string | undefined, mistakes: string[]): SettingsFile {
  const file = path ?? "lineside.toml";
  const nothing = { values: new Map(), placeOf: () => file };
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) {
    if (path !== undefined)
      mistakes.push(`The configuration file ${path} does not exist. Correct --config or LINESIDE_CONFIG.`);
    return nothing;
  }
  try {
    const text = readFileSync(file, "utf8"); // fails for a link to nothing, which would otherwise leave the defaults in force
    if (text === "" && statSync(file).isFile())
      mistakes.push(`${file} is empty. Write the settings again, or delete the file to use the defaults.`);
    const values = flatten(parseToml(text));
    const placeOf = (key: string) => `${file}${lineOf(key, text)}`;
    for (const name of values.keys())
      if (!isConfigKey(name)) mistakes.push(`${placeOf(name)}: "${name}" is not a setting${perhaps(name)}.`);
    return { values, placeOf };
  } catch (error) {
    if (!(error instanceof TomlError)) {
      mistakes.push(`${file} cannot be read. ${describeSystemError(error) ?? String(error)}`);
      return nothing;
    }
    const [message = ""] = error.message.split("\n");
    const reason = message.replace(/^Invalid TOML document: /, "");
    const place = `, line ${error.line}, column ${error.column}`;
    mistakes.push(`${file}${place} is not valid TOML: ${reason}. Correct this line.`);
    return nothing;
  }
}

/** Returns ", line N" of a key; an empty string if the line cannot be found. */
function lineOf(name: string, text: string): string {
  const isKey = (line: string) => {
    const [key = ""] = line.split("=");
    const bare = key.trim().replaceAll('"', "");
    return line.includes("=") && bare !== "" && (name === bare || name.endsWith(`_${bare}`));
  };
  const index = text.split("\n").findIndex(isKey);
  return index < 0 ? "" : `, line ${index + 1}`;
}

/** Returns a question that suggests the nearest setting. */
function perhaps(name: string, show: (key: ConfigKey) => string = (key) => key): string {
  const nearest = suggest(name, Object.keys(configKeys));
  return nearest === undefined || !isConfigKey(nearest) ? "" : ` (did you mean ${show(nearest)}?)`;
}

/** Finds variables that look like settings but are unknown: a typo must not leave a default in force unnoticed. */
function checkEnvironment(env: Record<string, string | undefined>): string[] {
  return Object.keys(env)
    .filter(
      (name) => name.startsWith(ENV_PREFIX) && !OTHER_VARIABLES.has(name) && !FROM_ORCHESTRATOR.test(name),
    )
    .map((name) => ({ name, key: name.slice(ENV_PREFIX.length).toLowerCase() }))
    .filter(({ key }) => !isConfigKey(key))
    .map(({ name, key }) => `${name} is not a setting${perhaps(key, envOf)}.`);
}

function flatten(document: Record<string, unknown>): Map<string, unknown> {
  const values = new Map<string, unknown>();
  for (const [name, value] of Object.entries(document)) {
    if (!isJsonObject(value) || value instanceof Date) values.set(name, value);
    else for (const [inner, innerValue] of Object.entries(value)) values.set(`${name}_${inner}`, innerValue);
  }
  return values;
}

function isSmtpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  const isDecodable = [username, password].every((part) => !/%(?![0-9a-f]{2})/i.test(part));
  return /^smtps?:$/.test(protocol) && hostname !== "" && isDecodable;
}

function checkTls({ tls, tls_cert: cert, tls_key: key }: Record<string, unknown>): string[] {
  if (tls === "files" && (cert === undefined || key === undefined))
    return ["tls = files needs tls_cert and tls_key."];
  const isUnused = tls !== "files" && (cert !== undefined || key !== undefined);
  return isUnused ? ["tls_cert and tls_key have an effect with tls = files only."] : [];
}

/** Checks that at least one HTTP port is open. */
function checkPorts({ tls, http_port: http, https_port: https }: Record<string, unknown>): string[] {
  if (http !== "off" || (tls !== "off" && https !== "off")) return [];
  return [
    "http_port = off needs TLS on https_port, or the gateway could not be reached: set tls = auto or tls = files, and an https_port.",
  ];
}

const checkRanges = (key: string, value: unknown): string[] =>
  String(value ?? "")
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "" && parseRange(entry) === undefined)
    .map((entry) => `${key}: ${entry} is neither an address nor a network like 10.0.0.0/8.`);

/** Checks the security contact, which becomes a line of a text file. */
function checkSecurityContact({ security_contact: contact }: Record<string, unknown>): string[] {
  const isAddress = (text: string) =>
    /^[^@\s]{1,64}@[^@\s]{1,255}$/.test(text) || (/^https:\/\/[!-~]+$/.test(text) && URL.canParse(text));
  return contact === undefined || isAddress(String(contact))
    ? []
    : ["security_contact must be an email address or an address that begins with https://."];
}

/** Checks the path of the data directory: with one that only a shell or an editor would correct, the gateway would start without its data. */
function checkData({ data }: Record<string, unknown>): string[] {
  const path = String(data ?? "");
  const shown = ` (it is ${JSON.stringify(path)})`;
  if (path !== path.trim()) return [`data must not begin or end with a space or a line break${shown}.`];
  if (!/^["'~$]/.test(path)) return [];
  return [`data must be a path without quotation marks, ~ and variables${shown}.`];
}

/** Checks that a bucket has its settings, and that a folder is an absolute path. */
function checkBackup(config: Record<string, unknown>): string[] {
  const { backup_to: place } = config;
  if (typeof place !== "string") return [];
  if (!place.startsWith("s3://"))
    return isAbsolute(place) ? [] : ["backup_to must be an absolute path, or begin with s3://."];
  return ["backup_endpoint", "backup_access_key_id", "backup_secret_access_key"]
    .filter((key) => config[key] === undefined)
    .map((key) => `backup_to is a bucket, so ${key} must be set.`);
}

function checkTogether(config: Record<string, unknown>): string[] {
  const mistakes = checkSecurityContact(config);
  const password = config.owner_password;
  if ((config.owner_email === undefined) !== (password === undefined))
    mistakes.push("LINESIDE_OWNER_EMAIL and LINESIDE_OWNER_PASSWORD go together.");
  if (typeof config.owner_email === "string" && !/^[^@\s]+@[^@\s]+$/.test(config.owner_email))
    mistakes.push("LINESIDE_OWNER_EMAIL must be an email address.");
  if (typeof password === "string" && password.length < 10)
    mistakes.push("LINESIDE_OWNER_PASSWORD must have 10 characters or more.");
  if (typeof config.smtp_url === "string" && !isSmtpUrl(config.smtp_url))
    mistakes.push(
      "smtp_url must be like smtp://user:password@mail.example:587; in user and password, % @ : and / are written as %25 %40 %3A and %2F.",
    );
  if (typeof config.smtp_from === "string" && !/^[^@\s<>,]+@[^@\s<>,]+$/.test(config.smtp_from))
    mistakes.push("smtp_from must be an email address.");
  mistakes.push(
    ...checkPublicUrl(config.public_url),
    ...checkTls(config),
    ...checkData(config),
    ...checkBackup(config),
    ...checkPorts(config),
    ...checkRanges("trusted_proxies", config.trusted_proxies),
    ...checkRanges("outbound_allow", config.outbound_allow),
    ...checkRanges("http_connections_exempt", config.http_connections_exempt),
  );
  return mistakes;
}

interface Sources {
  readonly flags: ReadonlyMap<string, string>;
  readonly env: Record<string, string | undefined>;
  readonly file: SettingsFile;
}

/** Returns the source of the value of a key, and the raw value. */
function rawValueOf(key: ConfigKey, { flags, env, file }: Sources): [source: string, raw: unknown] {
  const { refusesEmpty = false }: KeyDefinition = configKeys[key];
  const variable = env[envOf(key)];
  const sources: Array<[string, unknown]> = [
    [flagOf(key), flags.get(key)],
    [envOf(key), variable === "" && !refusesEmpty ? undefined : variable],
    [`${file.placeOf(key)}: ${key}`, file.values.get(key)],
  ];
  return sources.find(([, value]) => value !== undefined) ?? ["", undefined];
}

/** Adds file and line of the first setting in a mistake, if the file contains it. */
function withPlace(mistake: string, sources: Sources): string {
  const [key = ""] = /^\w+/.exec(mistake) ?? [];
  if (!isConfigKey(key)) return mistake;
  const place = `${sources.file.placeOf(key)}: `;
  return rawValueOf(key, sources)[0].startsWith(place) ? place + mistake : mistake;
}

/** @throws ConfigError with all mistakes */
export function loadConfig(
  args: readonly string[],
  env: Record<string, string | undefined>,
  command = "serve",
): Config {
  const mistakes: string[] = [];
  const flags = readFlags(args, mistakes, command);
  const file = readFile(flags.get("config") ?? env.LINESIDE_CONFIG, mistakes);
  const sources = { flags, env, file };
  mistakes.push(...checkEnvironment(env));
  const config: Record<string, string | number | boolean | undefined> = {};
  for (const key of Object.keys(configKeys).filter(isConfigKey)) {
    const definition: KeyDefinition = configKeys[key];
    const [source, raw] = rawValueOf(key, sources);
    config[key] = raw === undefined ? definition.default : parseValue(definition.kind, raw);
    if (raw !== undefined && config[key] === undefined) {
      const shown = definition.secret === true ? "" : ` (it is ${JSON.stringify(raw)})`;
      const wanted = definition.refusesEmpty ? "a non-empty string" : describeKind(definition.kind);
      mistakes.push(`${source} must be ${wanted}${shown}.`);
    }
  }
  mistakes.push(...checkTogether(config).map((mistake) => withPlace(mistake, sources)));
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  return config as Config; // every key of the table was assigned a value of its kind just above
}

/** Returns the environment of the process, which is read only here. */
export const processEnv = (): Record<string, string | undefined> => process.env;

/** Every key at its default, for programs that embed the app (tests, benchmarks). */
export function defaultConfig(overrides: Partial<Config> = {}): Config {
  const entries = Object.entries(configKeys).map(([key, definition]) => [key, definition.default]);
  return { ...(Object.fromEntries(entries) as Config), ...overrides }; // the table's defaults have the keys' kinds
}
