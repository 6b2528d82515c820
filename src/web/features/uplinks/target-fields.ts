import { formSchema } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import type { FormValues, ObjectSchema } from "../../lib/form-schema.ts";
import {
  type FieldEntry,
  type FormDefinition,
  fieldsOfForm,
  sentValues,
} from "../../ui/form/form-definition.ts";

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

const schema: ObjectSchema = formSchema("uplinks/target-input.schemas.ts", "targetInput");

const hasValue = (name: string, value: string) => (values: FormValues) => values[name] === value;
const isJson = hasValue("format", "JSON");
const isSparkplug = hasValue("format", "SPARKPLUG_B");
const isV1 = hasValue("api", "V1");
const isV2 = hasValue("api", "V2");

/** Fields of each target that the console shows; the API has more, each with a default. */
const fields: Readonly<Record<TargetType, readonly FieldEntry[]>> = {
  LINESIDE: ["url", "token", "namePrefix"],
  MQTT: [
    "url",
    "username",
    "password",
    "format",
    { path: "topic", when: isJson },
    { path: "groupId", when: isSparkplug },
    { path: "edgeNodeId", when: isSparkplug },
    "retain",
  ],
  POSTGRESQL: ["host", { path: "port", isRequired: true }, "database", "user", "password", "layout"],
  INFLUXDB: [
    "url",
    "api",
    { path: "organization", when: isV2 },
    { path: "bucket", when: isV2, isRequired: true },
    { path: "token", when: isV2 },
    { path: "database", when: isV1, isRequired: true },
    { path: "user", when: isV1 },
    { path: "password", when: isV1 },
  ],
  KAFKA: ["brokers", { path: "topic", isRequired: true }, "compression", "mechanism", "username", "password"],
  NATS: [
    "servers",
    { path: "stream", isRequired: true },
    { path: "subject", isRequired: true },
    "username",
    "password",
    "token",
  ],
  PARQUET: [
    "place.kind",
    "place.path",
    "place.endpoint",
    "place.region",
    "place.bucket",
    "place.prefix",
    "place.accessKeyId",
    "place.secretAccessKey",
    "partition",
  ],
  HTTP: ["url", "token", "signingSecret"],
};

/** Certificates for connections with TLS. */
const certificates: readonly FieldEntry[] = [
  { path: "tls.ca", rows: 3, input: { placeholder: "-----BEGIN CERTIFICATE-----" } },
  { path: "tls.certificate", rows: 3, input: { placeholder: "-----BEGIN CERTIFICATE-----" } },
  { path: "tls.privateKey", rows: 3, input: { placeholder: "-----BEGIN PRIVATE KEY-----" } },
];

const formOf = (type: TargetType, shown: readonly FieldEntry[]): FormDefinition => ({
  schema: { fields: schema.variants?.of[type] ?? {} },
  texts: [`uplink.${type}`, "uplink"],
  fields: shown,
});

export const targetForm = (type: TargetType): FormDefinition => formOf(type, fields[type]);
export const certificatesForm = (type: TargetType): FormDefinition => formOf(type, certificates);

/** Values of a new target beside the defaults of its schema: the beginning of its address, or `tls` if its settings choose the encryption. */
const firstValues: Readonly<Record<TargetType, FormValues>> = {
  LINESIDE: { url: "mqtts://" },
  MQTT: { url: "mqtts://" },
  INFLUXDB: { url: "https://" },
  POSTGRESQL: { tls: {} },
  KAFKA: { tls: {} },
  NATS: { tls: {} },
  PARQUET: { place: { kind: "FOLDER" } },
  HTTP: { url: "https://" },
};

/** Returns whether the settings of a target state by themselves whether the connection is encrypted; for the others, the address does. */
export const hasTlsChoice = (type: TargetType): boolean => "tls" in firstValues[type];

/** Values that a target has before a person changes them. */
export function targetDefaults(type: TargetType): FormValues {
  const form = targetForm(type);
  const defaults = fieldsOfForm(form.fields).map(
    ({ path }) => [path, form.schema.fields[path]?.default] as const,
  );
  return {
    ...Object.fromEntries(defaults.filter(([, value]) => value !== undefined)),
    ...firstValues[type],
  };
}

/** Returns the settings of a target as the API accepts them: without fields that do not apply, and without empty texts. */
export function targetInput(type: TargetType, values: FormValues): FormValues {
  const entries = Object.entries(sentValues(targetForm(type), values)).filter(([, value]) => value !== "");
  return { ...Object.fromEntries(entries), type };
}
