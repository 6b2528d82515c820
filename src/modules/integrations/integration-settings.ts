import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { DomainError, detail, invalid, toText } from "../../lib/core/domain-error.ts";
import { innermostIssue, ruleOf } from "../../lib/core/schema-rule.ts";
import { isJsonObject } from "../../lib/json/json.ts";
import { isTopicName } from "../../lib/mqtt/topic-names.ts";
import { secretProblem } from "../../lib/network/outbound-request.ts";
import { pathExcerpt } from "../../lib/strings/excerpt.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { SealedBox } from "../../platform/secrets/sealed-box.ts";
import type { UsedCodec } from "../codecs/codecs.service.ts";
import { parsePath } from "./adapters/path.ts";
import { LOCAL_BROKER } from "./bridge/local-bridge.ts";
import { SOURCE_BYTES_MAX, settingsSchema } from "./integration-settings.schemas.ts";
import type { Integration } from "./integrations.resource.ts";
import type { IntegrationSettings, IntegrationType, MqttSettings } from "./integrations.types.ts";

/*
 * Content of `settings_json`. Its secrets are removed and encrypted before it is stored, and replaced by `{kept: true}` in responses. Sending that
 * back keeps the secret, but only for the same server: otherwise callers could obtain it by changing the address.
 */

let check: TypeCheck<typeof settingsSchema> | undefined;

/** Paths of secrets, with the field that names their recipient. */
const secretPlaces: ReadonlyArray<{
  readonly at: readonly [keyof IntegrationSettings, ...string[]];
  readonly server: readonly [keyof IntegrationSettings, string];
}> = [
  { at: ["mqtt", "credentials", "password"], server: ["mqtt", "brokerUrl"] },
  { at: ["mqtt", "credentials", "key"], server: ["mqtt", "brokerUrl"] },
  { at: ["downlink", "apiKey"], server: ["downlink", "url"] },
];

function valueAt(value: unknown, place: readonly string[]): unknown {
  let current = value;
  for (const name of place)
    current = isJsonObject(current) && Object.hasOwn(current, name) ? current[name] : undefined;
  return current;
}

/** Returns a copy with the value at a path changed, or removed if `wanted` is undefined. */
function withAt(value: unknown, [name, ...rest]: readonly string[], wanted: unknown): unknown {
  if (name === undefined) return wanted;
  const object = isJsonObject(value) ? value : {};
  const inner = withAt(Object.hasOwn(object, name) ? object[name] : undefined, rest, wanted);
  const { [name]: _, ...others } = object;
  return inner === undefined ? others : { ...others, [name]: inner };
}

const originOf = (url: unknown): string => {
  if (typeof url !== "string" || !URL.canParse(url)) return "";
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
};
const isKept = (value: unknown) => isJsonObject(value) && value.kept === true;

/** Stored settings, and their secrets by path. */
export interface SplitSettings {
  readonly settings: IntegrationSettings;
  readonly secrets: Readonly<Record<string, string>>;
}

interface SecretPaths {
  readonly at: readonly string[];
  readonly server: readonly string[];
}

/** Returns the secret that was stored for this server. */
function keptSecret(input: unknown, { at, server }: SecretPaths, before: SplitSettings | undefined): string {
  const name = at.join(".");
  const kept = before?.secrets[name];
  if (kept === undefined) throw invalid("integration.secret_unknown", { name });
  if (originOf(valueAt(input, server)) !== originOf(valueAt(before?.settings, server)))
    throw invalid("integration.secret_moved", { name });
  return kept;
}

/** Returns `undefined` if there is none. */
function secretAt(input: unknown, place: SecretPaths, before: SplitSettings | undefined): string | undefined {
  const value = valueAt(input, place.at);
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string") return value;
  if (isKept(value)) return keptSecret(input, place, before);
  throw invalid("integration.secret_invalid", { name: place.at.join(".") });
}

/** Extracts secrets; kept secrets are taken from the previous settings. @throws DomainError `invalid` */
function splitSecrets(input: unknown, before: SplitSettings | undefined) {
  let rest = input;
  const secrets: Record<string, string> = {};
  for (const place of secretPlaces) {
    const secret = secretAt(input, place, before);
    if (secret !== undefined) secrets[place.at.join(".")] = secret;
    if (valueAt(input, place.at) !== undefined) rest = withAt(rest, place.at, undefined);
  }
  return { rest, secrets };
}

/** Inserts the secrets at their paths. */
function joinSecrets(
  { settings, secrets }: SplitSettings,
  as = (secret: string): unknown => secret,
): IntegrationSettings {
  let joined: unknown = settings;
  for (const { at } of secretPlaces) {
    const value = secrets[at.join(".")];
    if (value !== undefined) joined = withAt(joined, at, as(value));
  }
  return joined as IntegrationSettings; // what was checked when it was stored
}

function ensureSchema(settings: unknown): asserts settings is IntegrationSettings {
  check ??= TypeCompiler.Compile(settingsSchema);
  const wrong = check.Errors(settings).First();
  if (wrong === undefined) return;
  const inner = innermostIssue(wrong);
  const field = pathExcerpt(inner.path, "settings_json");
  throw invalid("integration.settings_mismatch", { field, rule: ruleOf(inner) });
}

const fail = (field: string, rule: Text) => invalid("integration.settings_invalid", { field, rule });

/** Refuses an invalid URL. An unchanged URL stays valid, even if it reveals a secret. */
function ensureUrl(
  where: string,
  { url, before }: { readonly url: string | undefined; readonly before: string | undefined },
  protocols: readonly string[],
): void {
  if (url === undefined || url === before) return;
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !protocols.includes(parsed.protocol) || parsed.hostname === "")
    throw fail(
      where,
      detail("rule.address", { protocols: protocols.map((name) => `${name}//`).join(" or ") }),
    );
  if (parsed.username !== "" || parsed.password !== "") throw fail(where, detail("rule.address_credentials"));
  const problem = secretProblem(url);
  if (problem !== undefined) throw fail(where, problem);
}

function ensureTopicFilter(filter: string): void {
  const levels = filter.split("/");
  const isGood =
    filter !== "" &&
    !/\p{Cc}/u.test(filter) &&
    levels.every((level, index) =>
      level === "#" ? index === levels.length - 1 : level === "+" || !/[+#]/.test(level),
    );
  if (!isGood) throw fail("mqtt.topicFilter", detail("rule.topic_filter"));
}

function ensurePaths(paths: IntegrationSettings["paths"] = {}): void {
  for (const [name, text = ""] of Object.entries(paths))
    try {
      if (text !== "") parsePath(text);
    } catch (error) {
      throw error instanceof DomainError
        ? fail(`paths.${name}`, detail("rule.not_valid", { reason: toText(error) }))
        : error;
    }
}

function ensureAttributesTopic(topic: string | undefined): void {
  if (topic === undefined) return;
  if (topic.split("{device}").length !== 2 || !isTopicName(topic))
    throw fail("mqtt.attributesTopic", detail("rule.attributes_topic", { place: "{device}" }));
}

function ensureMqtt(mqtt: MqttSettings, before: MqttSettings | undefined): void {
  if (mqtt.brokerUrl !== LOCAL_BROKER)
    ensureUrl("mqtt.brokerUrl", { url: mqtt.brokerUrl, before: before?.brokerUrl }, [
      "mqtt:",
      "mqtts:",
      "ws:",
      "wss:",
    ]);
  for (const filter of [mqtt.topicFilter].flat()) ensureTopicFilter(filter);
  if (mqtt.topicDeviceRegex !== undefined && mqtt.topicTemplate !== undefined)
    throw fail("mqtt", detail("rule.topic_device_twice"));
  ensureAttributesTopic(mqtt.attributesTopic);
  if ((mqtt.credentials?.cert === undefined) !== (mqtt.credentials?.key === undefined))
    throw fail("mqtt.credentials", detail("rule.cert_and_key"));
}

function ensureRules(
  type: IntegrationType,
  settings: IntegrationSettings,
  before: IntegrationSettings | undefined,
): void {
  const { mqtt, downlink, scriptTransform } = settings;
  if (type === "MQTT" && mqtt === undefined) throw fail("mqtt", detail("rule.mqtt_required"));
  if (type === "HTTP" && mqtt !== undefined) throw fail("mqtt", detail("rule.mqtt_types"));
  if (mqtt !== undefined) ensureMqtt(mqtt, before?.mqtt);
  if (settings.announceDevices && (settings.format !== "home-assistant" || mqtt?.brokerUrl !== LOCAL_BROKER))
    throw fail("announceDevices", detail("rule.announce_devices"));
  ensurePaths(settings.paths);
  const url = { url: downlink?.url, before: before?.downlink?.url };
  ensureUrl("downlink.url", url, ["http:", "https:"]);
  if (scriptTransform !== undefined && Buffer.byteLength(scriptTransform.source) > SOURCE_BYTES_MAX)
    throw fail("scriptTransform.source", detail("rule.more_than_bytes", { max: SOURCE_BYTES_MAX }));
}

/** Returns the external servers to which an integration connects, by setting. */
const serversOf = ({ mqtt, downlink }: IntegrationSettings) =>
  [
    ["mqtt.brokerUrl", mqtt?.brokerUrl === LOCAL_BROKER ? undefined : mqtt?.brokerUrl],
    ["downlink.url", downlink?.url],
  ] as const;

export const serverUrlsOf = (settings: IntegrationSettings): (string | undefined)[] =>
  serversOf(settings).map(([, url]) => url);

/** @throws DomainError `invalid` for a server at an address to which the gateway never connects */
export function ensureReachable(
  settings: IntegrationSettings,
  refusalOf: (url: string) => Text | undefined,
): void {
  for (const [where, url] of serversOf(settings)) {
    const refusal = url === undefined ? undefined : refusalOf(url);
    if (refusal !== undefined) throw fail(where, detail("rule.connection_refused", { refusal }));
  }
}

/** Validates and splits submitted settings; kept secrets are taken from `before`. */
export function parseSettings(type: IntegrationType, input: unknown, before?: SplitSettings): SplitSettings {
  if (!isJsonObject(input)) throw invalid("integration.settings_not_object");
  const { rest, secrets } = splitSecrets(input, before);
  ensureSchema(rest);
  const split = { settings: rest, secrets };
  const joined = joinSecrets(split);
  ensureSchema(joined);
  ensureRules(type, joined, before?.settings);
  return split;
}

/** Merges changes into the previous settings; null removes a setting. */
export function mergeSettings(before: SplitSettings, changes: unknown): unknown {
  if (!isJsonObject(changes)) return changes;
  const shown = joinSecrets(before, () => ({ kept: true }));
  return Object.fromEntries(Object.entries({ ...shown, ...changes }).filter(([, value]) => value !== null));
}

export const showSettings = (split: SplitSettings): Record<string, unknown> => ({
  ...joinSecrets(split, () => ({ kept: true })),
});

/** Returns the sealed secrets; null if there are none. */
export const sealSecrets = (box: SealedBox, secrets: SplitSettings["secrets"]): string | null =>
  Object.keys(secrets).length === 0 ? null : box.seal(JSON.stringify(secrets));

/** Returns settings with separate secrets. Secrets that were sealed with another key are lost and must be entered again. */
export function splitOf(
  box: SealedBox,
  { settings, secrets }: { settings: IntegrationSettings; secrets: string | null },
): SplitSettings {
  const opened = secrets === null ? undefined : box.open(secrets);
  return { settings, secrets: opened === undefined ? {} : (JSON.parse(opened) as Record<string, string>) }; // sealed by us
}

export const openSettings = (split: SplitSettings): IntegrationSettings => joinSecrets(split);

/** Returns the integrations that use a codec, by codec. */
export function usesOfCodecs(
  integrations: readonly Pick<Integration, "integrationId" | "name" | "settings">[],
): Map<string, UsedCodec["usedBy"]> {
  const uses = new Map<string, Array<{ integrationId: string; name: string }>>();
  for (const { integrationId, name, settings } of integrations)
    for (const codecId of new Set((settings.codecs ?? []).map((use) => use.codecId)))
      uses.set(codecId, [...(uses.get(codecId) ?? []), { integrationId, name }]);
  return uses;
}
