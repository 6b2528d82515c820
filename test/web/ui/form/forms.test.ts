import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import consoleTexts from "../../../../src/lib/texts/console.en.json";
import { MESSENGER_KINDS } from "../../../../src/modules/notifications/messengers.types.ts";
import { PARAM_TYPES } from "../../../../src/modules/profiles/profiles.types.ts";
import { checkTarget } from "../../../../src/modules/uplinks/target-settings.ts";
import { targetSchemas } from "../../../../src/modules/uplinks/targets/targets.schemas.ts";
import { noteForm } from "../../../../src/web/features/annotations/note-dialog.tsx";
import { symbolForm } from "../../../../src/web/features/dashboards/editor/symbols-field.tsx";
import {
  PART_NAMES,
  widgetForm,
  withComparison,
} from "../../../../src/web/features/dashboards/editor/widget-form.tsx";
import { settingsForm } from "../../../../src/web/features/integrations/integration-form.tsx";
import { serviceForm } from "../../../../src/web/features/notifications/messenger-form.ts";
import { commandDefinitionForm, paramForm } from "../../../../src/web/features/profiles/command-fields.tsx";
import {
  certificatesForm,
  TARGET_TYPES,
  targetDefaults,
  targetForm,
  targetInput,
} from "../../../../src/web/features/uplinks/target-fields.ts";
import { inputPattern } from "../../../../src/web/lib/form-schema.macro.ts";
import {
  bodyOf,
  type FieldSchema,
  type FormValues,
  fieldsOf,
  type ObjectSchema,
  valueAt,
  withValue,
} from "../../../../src/web/lib/form-schema.ts";
import { loadLanguage } from "../../../../src/web/platform/i18n/i18n.ts";
import { language } from "../../../../src/web/platform/preferences.ts";
import {
  type Fields,
  type FormDefinition,
  fieldsOfForm,
  isGroup,
  sentValues,
  textOfField,
} from "../../../../src/web/ui/form/form-definition.ts";

const WEB = join(import.meta.dir, "../../../../src/web");

await loadLanguage("en");
await loadLanguage("de");
const before = language.value;
afterAll(() => {
  language.value = before;
});

const integrationTypes = ["CHIRPSTACK", "THE_THINGS_STACK", "MQTT", "HTTP"] as const;

const isForm = (value: unknown): value is FormDefinition =>
  typeof value === "object" && value !== null && "schema" in value && "fields" in value;

/** Forms that are constants of the `…-form.ts` and `…-forms.ts` files of the features, by feature and name. */
async function constantForms(): Promise<Record<string, FormDefinition>> {
  const files = [...new Bun.Glob("features/**/*-form{,s}.{ts,tsx}").scanSync(WEB)].sort();
  const all: Record<string, FormDefinition> = {};
  for (const file of files)
    for (const [name, value] of Object.entries(await import(join(WEB, file))))
      if (isForm(value)) all[`${file.split("/")[1]}/${name}`] = value;
  return all;
}

const forms: Record<string, FormDefinition> = {
  noteForm,
  ...(await constantForms()),
  ...Object.fromEntries(TARGET_TYPES.map((type) => [`uplink to ${type}`, targetForm(type)])),
  ...Object.fromEntries(
    integrationTypes.map((type) => [`${type} integration`, settingsForm(type, { paths: { frame: "data" } })]),
  ),
  certificates: certificatesForm("KAFKA"),
  "symbol of a synoptic": symbolForm(true),
  command: commandDefinitionForm,
  ...Object.fromEntries(PARAM_TYPES.map((type) => [`${type} of a command`, paramForm({ name: "", type })])),
  ...Object.fromEntries(PART_NAMES.map((name) => [`${name} of a widget`, widgetForm([name])])),
  ...Object.fromEntries(MESSENGER_KINDS.map((kind) => [`${kind} messenger`, serviceForm({ kind })])),
};

test("takes the numbers of the API as numbers, not as the strings that a query may have", () => {
  expect(fieldsAt(forms["outbox/mailServerForm"]?.schema ?? place, "server.port")).toMatchObject([
    { kind: "number", isWhole: true, minimum: 1, maximum: 65_535 },
  ]);
  expect(fieldsAt(forms["notifications/escalationForm"]?.schema ?? place, "level1To2Minutes")).toMatchObject([
    { kind: "number", maximum: 10_080 },
  ]);
});

test("finds the forms of the features", () => {
  expect(Object.keys(forms).length).toBeGreaterThan(20);
});

/** Every field at a path, in each variant of the schema. */
function fieldsAt(schema: ObjectSchema, path: string): FieldSchema[] {
  const [name = "", ...rest] = path.split(".");
  const all = [schema.fields, ...Object.values(schema.variants?.of ?? {})];
  const found = all.flatMap((fields) => fields[name] ?? []);
  if (rest.length === 0) return found;
  return found.flatMap(({ object }) => (object ? fieldsAt(object, rest.join(".")) : []));
}

describe.each(Object.entries(forms))("form %s", (_, form) => {
  for (const field of fieldsOfForm(form.fields))
    test(`${field.path} is a field of the API, with a label in both languages and a pattern that browsers read`, () => {
      const schemas = fieldsAt(form.schema, field.path);
      expect(schemas).not.toEqual([]);
      for (const text of ["en", "de"] as const) {
        language.value = text;
        expect(textOfField("field", form.texts, field.text ?? field.path) ?? "").not.toBe("");
      }
      for (const { pattern } of schemas) if (pattern !== undefined) new RegExp(`^(?:${pattern})$`, "v");
      if (typeof field.input?.pattern === "string") new RegExp(`^(?:${field.input.pattern})$`, "v");
    });
});

const groupsOf = (fields: Fields): string[] =>
  fields.flat().flatMap((item) => (isGroup(item) ? [item.group, ...groupsOf(item.fields)] : []));

test("every text of a field belongs to a form", () => {
  const groups = Object.values(forms).flatMap(({ texts, fields }) =>
    groupsOf(fields).flatMap((group) => texts.map((name) => `fieldGroup.${name}.${group}`)),
  );
  const used = Object.values(forms).flatMap(({ schema, texts, fields }) =>
    fieldsOfForm(fields).flatMap(({ path, text = path }) => {
      const options = fieldsAt(schema, path).flatMap(({ options = [] }) => ["none", ...options]);
      const names = texts.map((name) => `${name}.${text}`);
      return names.flatMap((name) => [
        ...["field", "fieldHint", "fieldPattern"].map((kind) => `${kind}.${name}`),
        ...["fieldOption", "fieldHint"].flatMap((kind) =>
          options.map((option) => `${kind}.${name}.${option}`),
        ),
      ]);
    }),
  );
  const keys = Object.keys(consoleTexts).filter((key) => /^field(Hint|Option|Pattern|Group)?\./.test(key));
  expect(keys.length).toBeGreaterThan(15);
  expect(keys.filter((key) => !used.includes(key) && !groups.includes(key))).toEqual([]);
});

const place = {
  fields: { kind: { kind: "choice", options: ["FOLDER", "S3"], isRequired: true } },
  variants: {
    by: "kind",
    of: { FOLDER: { path: { kind: "text", minLength: 1 } }, S3: { bucket: { kind: "text", minLength: 1 } } },
  },
} as const satisfies ObjectSchema;
const schema: ObjectSchema = {
  fields: {
    name: { kind: "text", minLength: 1, isRequired: true },
    note: { kind: "text" },
    rate: { kind: "number", isNullable: true },
    password: { kind: "text", minLength: 1, isSecret: true, isNullable: true },
    servers: { kind: "list" },
    place: { kind: "object", object: place },
  },
};

describe("what a form sends", () => {
  test("texts without blanks around them, secrets as they were typed, no empty lines", () => {
    const values = { name: " Hall 3 ", note: " ", password: " p ", servers: [" a:1", "", "b:2 "] };
    expect(bodyOf(schema, values)).toEqual({
      name: "Hall 3",
      note: "",
      password: " p ",
      servers: ["a:1", "b:2"],
    });
  });

  test("an empty field that can be null is null, one that cannot is left out", () => {
    expect(bodyOf(schema, { name: null, rate: null, place: null })).toEqual({ rate: null });
    expect(bodyOf(schema, { name: "", rate: null, password: "" })).toEqual({ rate: null, password: null });
  });

  test("a stored secret stays what stands for it", () => {
    expect(bodyOf(schema, { password: { kept: true } })).toEqual({ password: { kept: true } });
  });

  test("only the fields of the selected variant", () => {
    const values = { place: { kind: "S3", path: "/backup", bucket: "plant" }, other: 1 };
    expect(bodyOf(schema, values)).toEqual({ place: { kind: "S3", bucket: "plant" } });
  });

  test("only the fields that are shown", () => {
    const form: FormDefinition = {
      schema,
      texts: [],
      fields: [{ path: "note", when: ({ rate }) => rate === 1 }, [{ path: "rate" }]],
    };
    expect(sentValues(form, { note: "a", rate: 2, name: "b" })).toEqual({ rate: 2, name: "b" });
    expect(sentValues(form, { note: "a", rate: 1 })).toEqual({ note: "a", rate: 1 });
  });

  test("an object of which no field is shown is left out", () => {
    const inPlace = (path: string, when: () => boolean) => ({ path: `place.${path}`, when });
    const values = { place: { kind: "S3", bucket: "plant" } };
    const fields = [inPlace("kind", () => false), inPlace("bucket", () => false)];
    expect(sentValues({ schema, texts: [], fields }, values)).toEqual({});
    const partly = [inPlace("kind", () => true), inPlace("bucket", () => false)];
    expect(sentValues({ schema, texts: [], fields: partly }, values)).toEqual({ place: { kind: "S3" } });
  });
});

test("a value that is set at a path is found there, and nothing else changes", () => {
  const name = fc.constantFrom("a", "b", "c");
  const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("."));
  const tree = fc.dictionary(name, fc.oneof(fc.integer(), fc.dictionary(name, fc.integer())));
  fc.assert(
    fc.property(tree, path, path, fc.integer(), (values, set, other, value) => {
      const changed = withValue(values, set, value);
      expect(valueAt(changed, set)).toBe(value);
      if (!set.startsWith(other) && !other.startsWith(set))
        expect(valueAt(changed, other)).toEqual(valueAt(values, other));
      expect(valueAt(withValue(changed, set, undefined), set)).toBeUndefined();
    }),
    { numRuns: 1_000 },
  );
});

test("a pattern for browsers means the same as the one of the API", () => {
  const patterns = [
    "^[^/+#]*[^/+#\\s][^/+#]*$",
    "^[a-z._-]{1,3}$",
    "^(|[^/].*/)$",
    "^[-a|b(c)]\\[[^-]$",
    "^[a\\]b]$",
  ];
  for (const pattern of patterns) {
    const [before, after] = [new RegExp(pattern), new RegExp(inputPattern(pattern), "v")];
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."a b/-+#|(]["), maxLength: 4 }), (text) => {
        expect(after.test(text)).toBe(before.test(text));
      }),
      { numRuns: 300 },
    );
  }
});

test("a field of the same name in no variant is none", () => {
  expect(Object.keys(fieldsOf(place, { kind: "FOLDER" }))).toEqual(["kind", "path"]);
  expect(Object.keys(fieldsOf(place, { kind: "toString" }))).toEqual(["kind"]);
});

describe("the target of an uplink", () => {
  test("is checked by the server as it is sent, for each type", () => {
    const entered: Record<string, object> = {
      LINESIDE: { url: "mqtts://center:8883", token: "secret" },
      MQTT: { url: "mqtts://center:8883", username: "", format: "SPARKPLUG_B", topic: "plant" },
      POSTGRESQL: { host: "db ", database: "plant", user: "writer" },
      INFLUXDB: { url: "https://influx:8086", bucket: "plant", database: "old" },
      KAFKA: { brokers: ["a:9092", ""], mechanism: undefined },
      NATS: { servers: ["a:4222"] },
      PARQUET: { place: { kind: "FOLDER", path: "/mnt/plant", bucket: "none" } },
      HTTP: { url: "https://center/rows" },
    };
    for (const type of TARGET_TYPES) {
      const input = targetInput(type, { ...targetDefaults(type), ...entered[type] });
      expect(() => checkTarget(input)).not.toThrow();
    }
    expect(targetInput("MQTT", { ...targetDefaults("MQTT"), ...entered.MQTT })).toEqual({
      type: "MQTT",
      url: "mqtts://center:8883",
      format: "SPARKPLUG_B",
      groupId: "lineside",
      edgeNodeId: "gateway",
      retain: false,
    });
    const stored: FormValues = { url: "https://center/rows", signingSecret: { kept: true } };
    expect(targetInput("HTTP", stored)).toEqual({ type: "HTTP", ...stored });
  });

  test("keeps what the console has no field for", () => {
    const values = { ...targetDefaults("KAFKA"), brokers: ["a:9092"], eventTopic: null, partitions: 6 };
    expect(targetInput("KAFKA", values)).toMatchObject({ eventTopic: null, partitions: 6, tls: {} });
  });
});

test("the console offers every target of uplinks", () => {
  expect<string[]>([...TARGET_TYPES].sort()).toEqual(Object.keys(targetSchemas).sort());
});

test("only a comparison with the previous year sets the time zone of a widget, which its days follow, too", () => {
  const values = { interval: "1d" };
  for (const compare of [undefined, true] as const)
    expect(withComparison(values, compare)).toEqual({ interval: "1d", compare });
  expect(withComparison(values, "year").timezone).toBeTruthy();
  expect(withComparison({ ...values, timezone: "UTC" }, "year").timezone).toBe("UTC");
});
