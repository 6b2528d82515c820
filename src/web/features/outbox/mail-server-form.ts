import { formSchema } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import { type FormValues, valueAt, withValue } from "../../lib/form-schema.ts";
import type { FormDefinition } from "../../ui/form/form-definition.ts";
import type { MailSettings } from "./mail-server-api.ts";

const hasServer = (values: FormValues) => valueAt(values, "server.host") !== "";

/** Returns the default port of a server. */
const standardPort = (security: unknown): number => (security === "TLS" ? 465 : 587);

export const mailServerForm: FormDefinition = {
  schema: formSchema("mail/mail-settings.schemas.ts", "mailSettingsInput"),
  texts: ["mailServer"],
  fields: [
    { path: "server.host", input: { required: false } },
    [
      { path: "server.security", when: hasServer },
      { path: "server.port", when: hasServer },
    ],
    [
      { path: "server.user", when: hasServer, input: { autocomplete: "off", required: false } },
      {
        path: "server.password",
        when: (values) => hasServer(values) && valueAt(values, "server.user") !== "",
        input: { type: "password", autocomplete: "new-password" },
      },
    ],
    { path: "server.acceptsAnyCertificate", when: hasServer },
    { path: "from", input: { type: "email" } },
  ],
  adjust: (before, after) => {
    const security = valueAt(after, "server.security");
    return security === valueAt(before, "server.security")
      ? after
      : withValue(after, "server.port", standardPort(security));
  },
};

const noServer = { host: "", port: 587, security: "STARTTLS", acceptsAnyCertificate: false, user: "" };

export const valuesOf = ({ server, from }: MailSettings): FormValues => ({
  server: { ...noServer, ...server, password: "" },
  from: from ?? "",
});

/** Returns the settings without those in the configuration. An empty password keeps the stored one. */
export function inputOf(body: FormValues, { fixed }: MailSettings): FormValues {
  const { password, ...server } = body.server as FormValues; // an object in the schema
  return {
    ...(!fixed.includes("smtp_url") && {
      server: server.host === "" ? null : { ...server, ...(password !== "" && { password }) },
    }),
    ...(!fixed.includes("smtp_from") && { from: body.from ?? null }),
  };
}
