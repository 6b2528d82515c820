import { formSchema } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import type { FormValues } from "../../lib/form-schema.ts";
import type { FormDefinition } from "../../ui/form/form-definition.ts";

const reading = { autocapitalize: "off", class: "input reading w-full" } as const;

/** Adjusts mode and policy: a mode requires a policy, and a policy requires a mode. */
function withPolicy(before: FormValues, after: FormValues): FormValues {
  if (after.securityMode === "NONE") return { ...after, securityPolicy: "NONE" };
  return before.securityMode === "NONE" && after.securityPolicy === "NONE"
    ? { ...after, securityPolicy: "BASIC256SHA256" }
    : after;
}

const isSecure = ({ securityMode }: FormValues) => securityMode !== "NONE";
const hasUser = ({ signIn }: FormValues) => signIn === "USER_NAME";

const ADDRESS = /^\s*opc\.tcp:\/\/(\[[^\]]+\]|[^\s:/]+)(?::(\d+))?(\/\S*)?\s*$/i;

/** Spreads a whole address over its fields. */
export function withWholeAddress(values: FormValues): FormValues {
  const [, host, port, path] = ADDRESS.exec(String(values.host ?? "")) ?? [];
  if (host === undefined) return values;
  return { ...values, host: host.replace(/^\[|\]$/g, ""), port: Number(port ?? 4_840), path: path ?? "" };
}

const shared = {
  schema: formSchema("opcua/opcua.schemas.ts", "createConnectionBody"),
  texts: ["opcuaConnection", "s7Connection"],
} as const;

/** Form for requesting the endpoints of a server. */
export const addressForm: FormDefinition = {
  ...shared,
  // A typed address is complete only when the field loses focus.
  adjust: (before, after) => {
    const isTyped = String(before.host ?? "").length > String(after.host ?? "").length - 2;
    return isTyped ? after : withWholeAddress(after);
  },
  fields: [
    [
      { path: "host", input: { ...reading, pattern: String.raw`\s*[^\s\/]+\s*`, autofocus: true } },
      { path: "port", isRequired: true },
      { path: "path", input: reading },
    ],
    { path: "name" },
  ],
};

export const securityForm: FormDefinition = {
  ...shared,
  adjust: withPolicy,
  fields: [
    ["securityMode", { path: "securityPolicy", when: isSecure, keepsHidden: true }],
    { path: "acceptedFingerprint", rows: 2, when: isSecure },
    { path: "signIn" },
    [
      { path: "userName", when: hasUser },
      {
        path: "password",
        input: { type: "password", autocomplete: "new-password" },
        when: hasUser,
      },
    ],
    { path: "reading" },
    { path: "storesUncertain" },
    { path: "timeoutMs", isRequired: true },
    { path: "enabled" },
  ],
};

export const connectionForm: FormDefinition = {
  ...shared,
  fields: [...addressForm.fields, ...securityForm.fields],
};

export const unitForm: FormDefinition = {
  schema: formSchema("opcua/opcua.schemas.ts", "createUnitBody", ["intervalMs", "deadband"]),
  texts: ["entryUnit"],
  fields: [[{ path: "intervalMs", isRequired: true, scale: 0.001 }, "deadband"]],
};
