import type {
  DownlinkSettings,
  IntegrationSettings,
  IntegrationType,
  MqttSettings,
  Secret,
  SettingsChanges,
} from "./integrations-api.ts";

/** Address of the embedded broker. */
export const LOCAL_BROKER = "local:";

/** Settings as a person fills them in; a secret that is kept is shown as one and left empty. */
export interface IntegrationFields {
  readonly autoCreate: boolean;
  readonly announces: boolean;
  readonly deviceType: string;
  readonly radioPrefix: string;
  /** Frames are written in hexadecimal digits. */
  readonly isHex: boolean;
  readonly usesMqtt: boolean;
  readonly brokerUrl: string;
  /** Topics, one per line. */
  readonly topics: string;
  readonly topicTemplate: string;
  readonly attributesTopic: string;
  readonly username: string;
  readonly password: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  readonly serverName: string;
  /** Any certificate of the broker will do. */
  readonly isTrusting: boolean;
  readonly clientId: string;
  readonly qos: string;
  readonly version: string;
  readonly takeRetained: boolean;
  readonly downlinkUrl: string;
  readonly apiKey: string;
  readonly applicationId: string;
  readonly webhookId: string;
  readonly fPort: string;
  readonly confirmed: boolean;
}

export type SecretField = "password" | "key" | "apiKey";

export const RADIO_PREFIX = "radio_";

const shown = (secret: Secret | undefined): string => (typeof secret === "string" ? secret : "");

function brokerFieldsOf({ mqtt }: IntegrationSettings) {
  const credentials = mqtt?.credentials ?? {};
  return {
    usesMqtt: mqtt !== undefined,
    brokerUrl: mqtt?.brokerUrl ?? "",
    topics: [mqtt?.topicFilter ?? []].flat().join("\n"),
    attributesTopic: mqtt?.attributesTopic ?? "",
    topicTemplate: mqtt?.topicTemplate ?? mqtt?.topicDeviceRegex ?? "",
    username: credentials.username ?? "",
    password: shown(credentials.password),
    ca: credentials.ca ?? "",
    cert: credentials.cert ?? "",
    key: shown(credentials.key),
  };
}

function connectionFieldsOf({ mqtt }: IntegrationSettings) {
  return {
    serverName: mqtt?.tls?.serverName ?? "",
    isTrusting: mqtt?.tls?.rejectUnauthorized === false,
    clientId: mqtt?.clientId ?? "",
    qos: String(mqtt?.qos ?? 1),
    version: String(mqtt?.protocolVersion ?? 4),
    takeRetained: mqtt?.takeRetained ?? false,
  };
}

export function fieldsOf(settings: IntegrationSettings): IntegrationFields {
  const { downlink } = settings;
  return {
    autoCreate: settings.autoCreateDevice ?? false,
    announces: settings.announceDevices ?? false,
    deviceType: settings.deviceType ?? "",
    radioPrefix: settings.radioPrefix ?? RADIO_PREFIX,
    isHex: settings.frameEncoding === "hex",
    ...brokerFieldsOf(settings),
    ...connectionFieldsOf(settings),
    downlinkUrl: downlink?.url ?? "",
    apiKey: shown(downlink?.apiKey),
    applicationId: downlink?.applicationId ?? "",
    webhookId: downlink?.webhookId ?? "",
    fPort: downlink?.fPort === undefined ? "" : String(downlink.fPort),
    confirmed: downlink?.confirmed ?? false,
  };
}

/** Returns whether there is a secret that stays unless another is typed. */
export function isKept(settings: IntegrationSettings, field: SecretField): boolean {
  const credentials = settings.mqtt?.credentials;
  const secret = field === "apiKey" ? settings.downlink?.apiKey : credentials?.[field];
  return typeof secret === "object";
}

type Filled<Fields> = { [K in keyof Fields]?: Exclude<Fields[K], undefined> };

const filled = <Fields extends object>(fields: Fields): Filled<Fields> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== "" && value !== undefined),
  ) as Filled<Fields>; // the same, fewer

/** Returns the secret that was typed, or a mark that the earlier one is kept. */
function secretOf(typed: string, before: IntegrationSettings, field: SecretField): Secret | undefined {
  if (typed !== "") return typed;
  return isKept(before, field) ? { kept: true } : undefined;
}

/** A pattern has what a template cannot have: a group. */
const isPattern = (text: string) => text.includes("(") && !text.includes("{device}");

const qualityOf = ({ qos }: IntegrationFields) => ([0, 1, 2] as const).find((item) => String(item) === qos);

function tlsOf({ serverName, isTrusting }: IntegrationFields): MqttSettings["tls"] | undefined {
  const tls = filled({
    serverName: serverName.trim(),
    rejectUnauthorized: isTrusting ? (false as const) : undefined,
  });
  return Object.keys(tls).length === 0 ? undefined : tls;
}

function mqttOf(fields: IntegrationFields, before: IntegrationSettings): MqttSettings {
  const {
    credentials: _,
    topicTemplate: __,
    attributesTopic: _________,
    topicDeviceRegex: ___,
    tls: ____,
    clientId: _____,
    qos: ______,
    protocolVersion: _______,
    takeRetained: ________,
    ...others
  } = before.mqtt ?? {};
  const { username, ca, cert } = fields;
  const password = secretOf(fields.password, before, "password");
  const key = secretOf(fields.key, before, "key");
  const credentials = filled({ username: username.trim(), password, ca: ca.trim(), cert: cert.trim(), key });
  const topics = fields.topics.split("\n").flatMap((line) => line.trim() || []);
  const mapped = {
    topicFilter: topics.length === 1 ? (topics[0] ?? "") : topics,
    ...filled({
      [isPattern(fields.topicTemplate) ? "topicDeviceRegex" : "topicTemplate"]: fields.topicTemplate.trim(),
      attributesTopic: fields.attributesTopic.trim(),
      takeRetained: fields.takeRetained || undefined,
    }),
  };
  if (fields.brokerUrl === LOCAL_BROKER) return { brokerUrl: LOCAL_BROKER, ...mapped };
  return {
    ...others,
    brokerUrl: fields.brokerUrl.trim(),
    ...mapped,
    ...filled({
      clientId: fields.clientId.trim(),
      qos: before.mqtt?.qos === undefined && fields.qos === "1" ? undefined : qualityOf(fields),
      protocolVersion: fields.version === "5" ? (5 as const) : undefined,
      tls: tlsOf(fields),
    }),
    ...(Object.keys(credentials).length > 0 && { credentials }),
  };
}

function downlinkOf(fields: IntegrationFields, before: IntegrationSettings): DownlinkSettings | undefined {
  const {
    url: _,
    apiKey: __,
    applicationId: ___,
    webhookId: ____,
    fPort: _____,
    confirmed: ______,
    ...others
  } = before.downlink ?? {};
  const input = filled({
    url: fields.downlinkUrl.trim(),
    apiKey: secretOf(fields.apiKey, before, "apiKey"),
    applicationId: fields.applicationId.trim(),
    webhookId: fields.webhookId.trim(),
    fPort: fields.fPort.trim() === "" ? undefined : Number(fields.fPort),
    confirmed: fields.confirmed || undefined,
  });
  const downlink = { ...others, ...input };
  return Object.keys(downlink).length === 0 ? undefined : downlink;
}

/** Returns the changes of the settings that the fields make; null removes a part. */
export function changesOf(
  type: IntegrationType,
  fields: IntegrationFields,
  before: IntegrationSettings = {},
): SettingsChanges {
  const hasRadio = type === "CHIRPSTACK" || type === "THE_THINGS_STACK";
  const wasHex = before.frameEncoding === "hex";
  return {
    autoCreateDevice: fields.autoCreate,
    announceDevices: (fields.announces && fields.brokerUrl === LOCAL_BROKER) || null,
    deviceType: fields.deviceType.trim() || null,
    mqtt: type === "MQTT" || fields.usesMqtt ? mqttOf(fields, before) : null,
    ...(fields.isHex !== wasHex && { frameEncoding: fields.isHex ? ("hex" as const) : null }),
    ...(hasRadio && {
      radioPrefix: fields.radioPrefix === RADIO_PREFIX ? null : fields.radioPrefix.trim(),
      downlink: downlinkOf(fields, before) ?? null,
    }),
  };
}

/** The same for one that is new: nothing is there that could be taken away. */
export const settingsOf = (type: IntegrationType, fields: IntegrationFields): IntegrationSettings =>
  Object.fromEntries(
    Object.entries(changesOf(type, fields)).filter(([, value]) => value !== null),
  ) as IntegrationSettings; // its nulls are gone
