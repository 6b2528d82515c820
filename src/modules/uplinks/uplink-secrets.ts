import { invalid } from "../../lib/core/domain-error.ts";
import { isJsonObject } from "../../lib/json/json.ts";

/** Names of secret fields at any depth of the settings. */
export const SECRET_NAMES: ReadonlySet<string> = new Set([
  "password",
  "token",
  "secretAccessKey",
  "signingSecret",
  "privateKey",
]);
/** Names of fields, at any depth, that determine the recipient of the secrets. */
const SERVER_NAMES: ReadonlySet<string> = new Set([
  "type",
  "url",
  "host",
  "port",
  "brokers",
  "servers",
  "endpoint",
]);

export type Secrets = Readonly<Record<string, string>>;
type Change = (value: unknown, path: string) => unknown;

/** Returns a copy with each secret changed; undefined removes it. */
function changeSecrets(value: unknown, change: Change, path: string): unknown {
  if (Array.isArray(value))
    return value.map((item, index) => changeSecrets(item, change, `${path}.${index}`));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const fieldPath = path === "" ? name : `${path}.${name}`;
      const changed = SECRET_NAMES.has(name)
        ? change(inner, fieldPath)
        : changeSecrets(inner, change, fieldPath);
      return changed === undefined ? [] : [[name, changed]];
    }),
  );
}

const isKept = (value: unknown): boolean => isJsonObject(value) && value.kept === true;

/** Returns the fields that determine the recipient of secrets, by path and in a fixed order. */
function serverFields(value: unknown, path: string): string[] {
  if (!isJsonObject(value)) return [];
  return Object.keys(value)
    .toSorted()
    .flatMap((name) => {
      const fieldPath = `${path}.${name}`;
      return SERVER_NAMES.has(name)
        ? [JSON.stringify([fieldPath, value[name]])]
        : serverFields(value[name], fieldPath);
    });
}

const serverOf = (target: unknown): string => serverFields(target, "").join("\n");

/** Returns whether a previously encrypted connection no longer is, judged by the URL's scheme if there is one. */
const losesTls = (input: unknown, before: unknown): boolean =>
  isJsonObject(input) &&
  isJsonObject(before) &&
  input.url === undefined &&
  isJsonObject(before.tls) &&
  !isJsonObject(input.tls);

/** Stored settings of a target, and their secrets by path. */
export interface SplitTarget {
  readonly target: Readonly<Record<string, unknown>>;
  readonly secrets: Secrets;
}

/**
 * Inserts kept secrets (`{kept: true}`) into submitted settings.
 * @throws DomainError `invalid` for a missing secret, or one that would be sent to another server or without TLS
 */
export function withKeptSecrets(input: unknown, before: SplitTarget | undefined): unknown {
  return changeSecrets(
    input,
    (value, path) => {
      if (value === null || value === "") return undefined;
      if (!isKept(value)) return value;
      const kept = before?.secrets[path];
      if (kept === undefined) throw invalid("uplink.secret_unknown", { name: path });
      if (serverOf(input) !== serverOf(before?.target) || losesTls(input, before?.target))
        throw invalid("uplink.secret_moved", { name: path });
      return kept;
    },
    "",
  );
}

/** Extracts the secrets from valid settings. */
export function splitTarget(target: Readonly<Record<string, unknown>>): SplitTarget {
  const secrets: Record<string, string> = {};
  const rest = changeSecrets(
    target,
    (value, path) => {
      secrets[path] = String(value);
      return undefined;
    },
    "",
  );
  return { target: rest as SplitTarget["target"], secrets }; // an object stays one
}

/** Inserts secrets, or their placeholders, at their paths. */
export function joinTarget(
  { target, secrets }: SplitTarget,
  as: (secret: string) => unknown,
): SplitTarget["target"] {
  const joined = structuredClone(target);
  for (const [path, secret] of Object.entries(secrets)) place(joined, path.split("."), as(secret));
  return joined;
}

function place(value: unknown, [name, ...rest]: readonly string[], secret: unknown): void {
  if (name === undefined || typeof value !== "object" || value === null) return;
  const object = value as Record<string, unknown>; // arrays have indexes as names
  if (rest.length === 0) object[name] = secret;
  else place(object[name], rest, secret);
}
