import { t } from "elysia";
import { TEXT_FORMS } from "../../lib/core/text-forms.ts";
import { choice } from "../api/wire.schemas.ts";

const name = t.String({
  minLength: 1,
  maxLength: 128,
  pattern: TEXT_FORMS.printable,
  description: "1 to 128 characters, none of them a control character",
});

export const deviceToken = t.String({
  pattern: TEXT_FORMS.device_token,
  description: "20 to 128 letters, digits and . _ ~ -",
});

export const setCredentialsBody = t.Union([
  t.Object(
    { type: t.Literal("ACCESS_TOKEN"), token: t.Optional(deviceToken) },
    { description: "the user name over MQTT, a part of the path over HTTP; a random one by default" },
  ),
  t.Object(
    {
      type: t.Literal("MQTT_BASIC"),
      username: t.Optional(name),
      clientId: t.Optional(name),
      password: t.Optional(
        t.String({
          minLength: 8,
          maxLength: 256,
          description: "8 to 256 characters; a random one by default",
        }),
      ),
    },
    { description: "user name, client id or both, and a password" },
  ),
  t.Object(
    {
      type: t.Literal("X509"),
      certificate: t.Optional(
        t.String({ maxLength: 65_536, description: "the device's own certificate in PEM form" }),
      ),
      fingerprint: t.Optional(
        t.String({
          maxLength: 128,
          description: "SHA-256 of the certificate instead: 64 hexadecimal digits",
        }),
      ),
    },
    { description: "a client certificate, over MQTT with TLS" },
  ),
]);

export const credentialsDetail = t.Object({
  type: choice(["ACCESS_TOKEN", "MQTT_BASIC", "X509"]),
  token: t.Optional(t.String()),
  clientId: t.Optional(t.String()),
  username: t.Optional(t.String()),
  password: t.Optional(
    t.String({ description: "a generated password; only the response that created it has it" }),
  ),
  fingerprint: t.Optional(t.String()),
  validTo: t.Optional(t.String({ description: "ISO 8601; if the certificate itself was given" })),
  confirmed: t.Optional(
    t.Boolean({
      description: "X509 only: whether a connection has proven that the certificate is the device's",
    }),
  ),
});
