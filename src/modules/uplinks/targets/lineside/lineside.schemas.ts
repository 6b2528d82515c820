import { type Static, Type as t } from "@sinclair/typebox";
import { brokerLinkFields } from "../broker-link.schemas.ts";

/** Central Lineside or ThingsBoard, by the MQTT API for gateways. */
export const linesideSettings = t.Object(
  {
    type: t.Literal("LINESIDE"),
    ...brokerLinkFields,
    token: t.Optional(
      t.String({
        minLength: 1,
        maxLength: 256,
        description:
          "access token of the gateway device on the central server; not needed with a user name and password or a client certificate",
      }),
    ),
    namePrefix: t.String({
      maxLength: 64,
      default: "",
      description: "text before the names of devices, such as the name of the site",
    }),
  },
  { title: "LinesideTarget", additionalProperties: false },
);

export type LinesideSettings = Static<typeof linesideSettings>;
