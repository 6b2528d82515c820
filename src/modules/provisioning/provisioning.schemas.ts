import { t } from "elysia";

const mode = t.Union([t.Literal("DISABLED"), t.Literal("ALLOW_NEW"), t.Literal("CHECK_PRE_PROVISIONED")], {
  description:
    "ALLOW_NEW creates a device with the name in the request, or with a generated name; CHECK_PRE_PROVISIONED accepts only existing devices",
});

export const provisioningBody = t.Object({
  mode,
  key: t.Optional(t.String({ description: "provisionDeviceKey of the claims" })),
  secret: t.Optional(t.String({ description: "provisionDeviceSecret of the claims" })),
});

export const setProvisioningBody = t.Object({ mode });

export const claimResponse = t.Object({
  status: t.String({ enum: ["SUCCESS", "FAILURE", "NOT_FOUND"] }),
  credentialsType: t.Optional(t.String({ enum: ["ACCESS_TOKEN", "MQTT_BASIC", "X509_CERTIFICATE"] })),
  credentialsValue: t.Optional(
    t.Union([
      t.String(),
      t.Object({
        clientId: t.Optional(t.String()),
        userName: t.Optional(t.String()),
        password: t.Optional(t.String()),
      }),
    ]),
  ),
  errorMsg: t.Optional(t.String()),
});
