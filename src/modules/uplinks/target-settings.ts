import { Value } from "@sinclair/typebox/value";
import { invalid } from "../../lib/core/domain-error.ts";
import { innermostIssue, ruleOf } from "../../lib/core/schema-rule.ts";
import { isJsonObject } from "../../lib/json/json.ts";
import { isSecretHeader, secretProblem, urlProblem } from "../../lib/network/outbound-request.ts";
import { excerpt, pathExcerpt } from "../../lib/strings/excerpt.ts";
import type { Text } from "../../lib/texts/text.ts";
import { type TargetSettings, targetSchemas } from "./targets/targets.schemas.ts";

export type { TargetSettings };

/** User information before the host of a URL, which may contain a password. */
const USER_IN_ADDRESS = /^([a-z][a-z+.-]*:\/\/)?[^/?#]*@/i;
const PORT_IN_ADDRESS = /:(\d+)$/;
const PORT_MAX = 65_535;

function addressesOf(settings: TargetSettings): [field: string, address: string][] {
  if (settings.type === "KAFKA") return settings.brokers.map((broker) => ["brokers", broker]);
  if (settings.type === "NATS") return settings.servers.map((server) => ["servers", server]);
  if (settings.type === "PARQUET")
    return settings.place.kind === "S3" ? [["place.endpoint", settings.place.endpoint]] : [];
  return "url" in settings ? [["url", settings.url]] : [];
}

const headersOf = (settings: TargetSettings | undefined): Readonly<Record<string, string>> =>
  settings?.type === "HTTP" ? settings.headers : {};

/** Whether the addresses of a target are HTTP URLs. */
const takesHttp: Readonly<Record<TargetSettings["type"], boolean>> = {
  LINESIDE: false,
  MQTT: false,
  INFLUXDB: true,
  POSTGRESQL: false,
  KAFKA: false,
  NATS: false,
  PARQUET: true,
  HTTP: true,
};

const secretInAddress = (field: string, rule: Text) =>
  rule.code === "rule.path_secret"
    ? invalid("uplink.target_invalid", { field: `target.${field}`, rule })
    : invalid("uplink.address_query", { field, name: String(rule.params.name) });

/** Refuses new addresses and headers with secrets, because they are shown. @throws DomainError `invalid` */
function ensureNoSecrets(settings: TargetSettings, before: TargetSettings | undefined): void {
  const existing = new Set(before && addressesOf(before).map(([, address]) => address));
  for (const [field, address] of addressesOf(settings).filter(([, of]) => !existing.has(of))) {
    const problem = takesHttp[settings.type] ? urlProblem(address) : undefined;
    if (problem?.code === "rule.http_address")
      throw invalid("uplink.target_invalid", { field: `target.${field}`, rule: problem });
    if (USER_IN_ADDRESS.test(address)) throw invalid("uplink.address_password", { field });
    const secret = secretProblem(address);
    if (secret !== undefined) throw secretInAddress(field, secret);
    if (Number(PORT_IN_ADDRESS.exec(address)?.[1] ?? 0) > PORT_MAX)
      throw invalid("uplink.address_port", { field, portMax: PORT_MAX });
  }
  const headers = headersOf(before);
  const header = Object.entries(headersOf(settings)).find(
    ([name, value]) => isSecretHeader(name) && headers[name] !== value,
  )?.[0];
  if (header !== undefined) throw invalid("uplink.header_secret", { name: excerpt(header) });
}

/**
 * Validates the settings of a target and adds defaults. `before`: replaced settings.
 * @throws DomainError `invalid` that names the field
 */
export function checkTarget(input: unknown, before?: TargetSettings): TargetSettings {
  const type = isJsonObject(input) ? String(input.type) : "";
  const schema = Object.entries(targetSchemas).find(([name]) => name === type)?.[1];
  if (schema === undefined)
    throw invalid("uplink.type_unknown", {
      type: excerpt(type),
      known: Object.keys(targetSchemas).join(", "),
    });
  const filled = Value.Default(schema, structuredClone(input));
  const wrong = Value.Errors(schema, filled).First();
  if (wrong !== undefined) {
    const inner = innermostIssue(wrong);
    throw invalid("uplink.target_invalid", { field: pathExcerpt(inner.path, "target"), rule: ruleOf(inner) });
  }
  const settings = filled as TargetSettings; // fits its schema
  ensureNoSecrets(settings, before);
  return settings;
}
