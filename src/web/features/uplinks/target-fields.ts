import type { MessageKey } from "../../platform/i18n/i18n.ts";

/** Texts without places. */
export type FieldText = Extract<
  MessageKey,
  `uplink${"Field" | "Hint" | "Layout" | "Api" | "Place" | "Partition"}.${string}`
>;

/** Types of targets, in the order in which they are offered. */
export const TARGET_TYPES = [
  "LINESIDE",
  "MQTT",
  "POSTGRESQL",
  "INFLUXDB",
  "KAFKA",
  "NATS",
  "PARQUET",
  "HTTP",
] as const;
export type TargetType = (typeof TARGET_TYPES)[number];

/** Values that a target has before a person changes them. */
export const targetDefaults: Readonly<Record<TargetType, Readonly<Record<string, unknown>>>> = {
  LINESIDE: { url: "mqtts://" },
  MQTT: { url: "mqtts://", format: "JSON", topic: "lineside/{site}/{device}/telemetry" },
  POSTGRESQL: { host: "", port: 5_432, database: "", user: "", layout: "NARROW", tls: {} },
  INFLUXDB: { url: "https://", api: "V2" },
  KAFKA: { brokers: [], topic: "lineside.telemetry", compression: "LZ4", tls: {} },
  NATS: { servers: [], stream: "LINESIDE", subject: "lineside.{site}.{device}.telemetry", tls: {} },
  PARQUET: { place: { kind: "FOLDER", path: "" }, partition: "HOUR" },
  HTTP: { url: "https://" },
};

export interface TargetField {
  /** Path in the settings, its parts joined by dots. */
  readonly path: string;
  readonly kind: "text" | "number" | "secret" | "select" | "check" | "lines";
  readonly label: FieldText;
  readonly hint?: FieldText;
  readonly isRequired?: true;
  readonly options?: ReadonlyArray<readonly [value: string, label: FieldText | string]>;
  /** Value of another field with which this one is shown. */
  readonly when?: readonly [path: string, value: unknown];
}

const url = (hint: FieldText): TargetField => ({
  path: "url",
  kind: "text",
  label: "uplinkField.url",
  hint,
  isRequired: true,
});
const user = (path: string): TargetField => ({ path, kind: "text", label: "uplinkField.user" });
const password: TargetField = { path: "password", kind: "secret", label: "uplinkField.password" };
const token = (hint: FieldText): TargetField => ({
  path: "token",
  kind: "secret",
  label: "uplinkField.token",
  hint,
});
const text = (path: string, label: FieldText, more: Partial<TargetField> = {}): TargetField => ({
  path,
  kind: "text",
  label,
  ...more,
});
const needed = { isRequired: true } as const;
const ofBucket = { when: ["place.kind", "S3"], isRequired: true } as const;

/** Fields of each target that the console offers; the API has more, each with a default. */
export const targetFields: Readonly<Record<TargetType, readonly TargetField[]>> = {
  LINESIDE: [
    url("uplinkHint.brokerUrl"),
    token("uplinkHint.gatewayToken"),
    text("namePrefix", "uplinkField.namePrefix", { hint: "uplinkHint.namePrefix" }),
  ],
  MQTT: [
    url("uplinkHint.brokerUrl"),
    user("username"),
    password,
    {
      path: "format",
      kind: "select",
      label: "uplinkField.format",
      options: [
        ["JSON", "JSON"],
        ["CBOR", "CBOR"],
        ["SPARKPLUG_B", "Sparkplug B"],
      ],
    },
    text("topic", "uplinkField.topic", { hint: "uplinkHint.topic", when: ["format", "JSON"] }),
    text("groupId", "uplinkField.groupId", { when: ["format", "SPARKPLUG_B"] }),
    text("edgeNodeId", "uplinkField.edgeNodeId", { when: ["format", "SPARKPLUG_B"] }),
    { path: "retain", kind: "check", label: "uplinkField.retain" },
  ],
  POSTGRESQL: [
    text("host", "uplinkField.host", needed),
    { path: "port", kind: "number", label: "uplinkField.port", isRequired: true },
    text("database", "uplinkField.database", needed),
    text("user", "uplinkField.user", needed),
    password,
    {
      path: "layout",
      kind: "select",
      label: "uplinkField.layout",
      options: [
        ["NARROW", "uplinkLayout.NARROW"],
        ["WIDE", "uplinkLayout.WIDE"],
      ],
    },
  ],
  INFLUXDB: [
    url("uplinkHint.influxUrl"),
    {
      path: "api",
      kind: "select",
      label: "uplinkField.api",
      options: [
        ["V2", "uplinkApi.V2"],
        ["V1", "uplinkApi.V1"],
      ],
    },
    text("organization", "uplinkField.organization", { when: ["api", "V2"] }),
    text("bucket", "uplinkField.bucket", { when: ["api", "V2"], isRequired: true }),
    { path: "token", kind: "secret", label: "uplinkField.token", when: ["api", "V2"] },
    text("database", "uplinkField.database", { when: ["api", "V1"], isRequired: true }),
    text("user", "uplinkField.user", { when: ["api", "V1"] }),
    { path: "password", kind: "secret", label: "uplinkField.password", when: ["api", "V1"] },
  ],
  KAFKA: [
    {
      path: "brokers",
      kind: "lines",
      label: "uplinkField.brokers",
      hint: "uplinkHint.brokers",
      isRequired: true,
    },
    text("topic", "uplinkField.kafkaTopic", needed),
    {
      path: "compression",
      kind: "select",
      label: "uplinkField.compression",
      options: ["LZ4", "ZSTD", "SNAPPY", "GZIP", "NONE"].map((name) => [name, name] as const),
    },
    {
      path: "mechanism",
      kind: "select",
      label: "uplinkField.mechanism",
      options: [
        ["", "uplinkField.noMechanism"],
        ["SCRAM-SHA-512", "SCRAM-SHA-512"],
        ["SCRAM-SHA-256", "SCRAM-SHA-256"],
        ["PLAIN", "PLAIN"],
      ],
    },
    user("username"),
    password,
  ],
  NATS: [
    {
      path: "servers",
      kind: "lines",
      label: "uplinkField.servers",
      hint: "uplinkHint.brokers",
      isRequired: true,
    },
    text("stream", "uplinkField.stream", needed),
    text("subject", "uplinkField.subject", { hint: "uplinkHint.topic", isRequired: true }),
    user("username"),
    password,
    { path: "token", kind: "secret", label: "uplinkField.token" },
  ],
  PARQUET: [
    {
      path: "place.kind",
      kind: "select",
      label: "uplinkField.place",
      options: [
        ["FOLDER", "uplinkPlace.FOLDER"],
        ["S3", "uplinkPlace.S3"],
      ],
    },
    text("place.path", "uplinkField.path", {
      hint: "uplinkHint.path",
      when: ["place.kind", "FOLDER"],
      isRequired: true,
    }),
    text("place.endpoint", "uplinkField.endpoint", ofBucket),
    text("place.region", "uplinkField.region", { when: ["place.kind", "S3"] }),
    text("place.bucket", "uplinkField.bucket", ofBucket),
    text("place.prefix", "uplinkField.prefix", { when: ["place.kind", "S3"] }),
    text("place.accessKeyId", "uplinkField.accessKeyId", ofBucket),
    {
      path: "place.secretAccessKey",
      kind: "secret",
      label: "uplinkField.secretAccessKey",
      when: ["place.kind", "S3"],
    },
    {
      path: "partition",
      kind: "select",
      label: "uplinkField.partition",
      options: [
        ["HOUR", "uplinkPartition.HOUR"],
        ["DAY", "uplinkPartition.DAY"],
      ],
    },
  ],
  HTTP: [
    url("uplinkHint.httpUrl"),
    token("uplinkHint.httpToken"),
    {
      path: "signingSecret",
      kind: "secret",
      label: "uplinkField.signingSecret",
      hint: "uplinkHint.signingSecret",
    },
  ],
};

/** Targets whose settings say by themselves whether the connection is encrypted: the others have it in the address. */
export const hasTlsChoice = (type: TargetType): boolean => ["POSTGRESQL", "KAFKA", "NATS"].includes(type);

export type TargetDraft = Readonly<Record<string, unknown>>;

export function valueAt(target: TargetDraft, path: string): unknown {
  let value: unknown = target;
  for (const name of path.split("."))
    value = typeof value === "object" && value !== null ? (value as TargetDraft)[name] : undefined;
  return value;
}

/** Returns a copy with the value at a path; `undefined` and "" leave the field out. */
export function withValue(target: TargetDraft, path: string, value: unknown): TargetDraft {
  const [name = "", ...rest] = path.split(".");
  const inner =
    rest.length === 0 ? value : withValue((target[name] ?? {}) as TargetDraft, rest.join("."), value);
  const { [name]: _, ...others } = target;
  return inner === undefined || inner === "" ? others : { ...others, [name]: inner };
}

export const isShown = ({ when }: TargetField, target: TargetDraft): boolean =>
  when === undefined || valueAt(target, when[0]) === when[1];

/** A target without the fields that do not belong to what is selected. */
export function cleaned(type: TargetType, target: TargetDraft): TargetDraft {
  let kept: TargetDraft = { ...target, type };
  for (const field of targetFields[type])
    if (!isShown(field, target)) kept = withValue(kept, field.path, undefined);
  return kept;
}
