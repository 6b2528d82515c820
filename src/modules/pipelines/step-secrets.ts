import { invalid } from "../../lib/domain-error.ts";
import { isJsonObject } from "../../lib/json.ts";
import { isSecretHeader } from "../../lib/outbound-request.ts";
import { sha256 } from "../../platform/ids.ts";
import type { Sealed } from "../outbound/outbound.types.ts";
import type { Step } from "./step-engine.ts";

/*
 * Secrets of steps: sealed before they are stored, and shown as `{kept: "…"}`, which names one without giving it away. Whoever sends
 * that back keeps the secret, wherever the step has moved to; but only for the same server: otherwise changing the address would
 * be a way to have the secret sent to oneself.
 */

/** A kept secret and the origin for which it was entered. */
interface KnownSecret {
  readonly sealed: string;
  readonly origin: string;
}

type Kind = "secret" | "header";
type Change = (value: unknown, of: { origin: string; kind: Kind }) => unknown;

/** Returns whether a value can be sealed, since sealed values are not checked again; others stay as they are, and are refused as the fields of the step say. */
const isUsable = (value: string, kind: Kind): boolean =>
  kind === "secret" ? /^.{1,256}$/s.test(value) : /^[\t\x20-\x7e\x80-\xff]{1,4096}$/.test(value);

const originOf = (url: unknown): string =>
  typeof url === "string" && URL.canParse(url) ? new URL(url).origin : "";

function changeFields(
  fields: Record<string, unknown>,
  origin: string,
  change: Change,
): Record<string, unknown> {
  const { secret, headers } = fields;
  const changed = isJsonObject(headers)
    ? Object.fromEntries(
        Object.entries(headers).map(([name, value]) => {
          const isSecret = typeof value !== "string" || (isSecretHeader(name) && value !== "");
          return [name, isSecret ? change(value, { origin, kind: "header" }) : value];
        }),
      )
    : headers;
  return {
    ...fields,
    ...(headers !== undefined && { headers: changed }),
    ...(secret !== undefined && { secret: change(secret, { origin, kind: "secret" }) }),
  };
}

/** The steps with each secret changed; a step's fields stand in it or in its `config`. */
function changeSecrets(steps: unknown, change: Change): unknown {
  if (!Array.isArray(steps)) return steps;
  return steps.map((step: unknown) => {
    if (!isJsonObject(step) || step.type !== "webhook_forward") return step;
    const { config } = step;
    const origin = originOf(step.url ?? (isJsonObject(config) ? config.url : undefined));
    const outer = changeFields(step, origin, change);
    return isJsonObject(config) ? { ...outer, config: changeFields(config, origin, change) } : outer;
  });
}

const idOf = (sealed: string): string => sha256(sealed).slice(0, 16);

const isSealed = (value: unknown): value is Sealed => isJsonObject(value) && typeof value.sealed === "string";

/** Returns the steps for clients. */
export const maskSteps = (steps: readonly Step[]): readonly Step[] =>
  changeSecrets(steps, (value) => (isSealed(value) ? { kept: idOf(value.sealed) } : value)) as Step[]; // steps stay steps

/** Every secret of these steps, by the name that it is shown under. */
function knownOf(steps: readonly Step[]): Array<[string, KnownSecret]> {
  const found: Array<[string, KnownSecret]> = [];
  changeSecrets(steps, (value, { origin }) => {
    if (isSealed(value)) found.push([idOf(value.sealed), { sealed: value.sealed, origin }]);
    return value;
  });
  return found;
}

/**
 * Steps as somebody sent them, ready to be stored. `earlier` are those whose secrets may be kept.
 * @throws DomainError of kind `invalid`.
 */
export function sealSteps(
  steps: unknown,
  input: { seal: (secret: string) => Sealed; earlier: () => ReadonlyArray<readonly Step[]> },
): unknown {
  let existing: Map<string, KnownSecret> | undefined;
  return changeSecrets(steps, (value, { origin, kind }) => {
    if (typeof value === "string") return isUsable(value, kind) ? input.seal(value) : value;
    if (!isJsonObject(value)) return value;
    if (typeof value.kept !== "string") throw invalid("step.secret_invalid");
    existing ??= new Map(input.earlier().flatMap(knownOf));
    const found = existing.get(value.kept);
    if (found === undefined) throw invalid("step.secret_unknown");
    if (found.origin !== origin) throw invalid("step.secret_moved");
    return { sealed: found.sealed };
  });
}
