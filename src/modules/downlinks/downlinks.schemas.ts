import { t } from "elysia";
import { isoTime, jsonObject, jsonValue, textSchema, wholeNumber } from "../api/wire.schemas.ts";

export const downlinkRequestBody = t.Object(
  {
    deviceId: t.Optional(t.String({ maxLength: 64, description: "one of deviceId and devEui" })),
    devEui: t.Optional(t.String({ maxLength: 64, description: "16 hexadecimal characters" })),
    fPort: t.Optional(
      t.Integer({ minimum: 1, maximum: 223, description: "settings_json.downlink.fPort by default" }),
    ),
    confirmed: t.Optional(t.Boolean({ description: "settings_json.downlink.confirmed by default" })),
    priority: t.Optional(
      t.String({ maxLength: 32, description: "priority in The Things Stack, from LOWEST to HIGHEST" }),
    ),
    data: t.Optional(t.String({ maxLength: 400, description: "base64; one of data, hex and object" })),
    hex: t.Optional(t.String({ maxLength: 800 })),
    // Not an Object: a key like `__proto__` is only a key.
    object: t.Optional(
      jsonObject("for encodeDownlink of the script or codec, else the network server's own"),
    ),
    expiresInMs: t.Optional(
      t.Integer({
        minimum: 1_000,
        maximum: 604_800_000,
        description: "time after which the downlink is given up; a day by default",
      }),
    ),
  },
  { title: "DownlinkRequest" },
);

export const downlinkState = t.Union([
  t.Literal("QUEUED"),
  t.Literal("SENT"),
  t.Literal("TRANSMITTED"),
  t.Literal("ACKNOWLEDGED"),
  t.Literal("FAILED"),
]);

const downlink = {
  downlinkId: t.String(),
  status: downlinkState,
  error: t.Union([t.String(), t.Null()]),
  errorText: t.Union([textSchema, t.Null()], { description: "code and parameters of the error" }),
  deviceId: t.Union([t.String(), t.Null()]),
  devEui: t.Union([t.String(), t.Null()]),
  fPort: t.Union([t.Number(), t.Null()]),
  confirmed: t.Boolean(),
  attempts: wholeNumber(),
  createdAt: isoTime,
};

export const downlinkResponse = t.Object({ success: t.Boolean(), ...downlink }, { title: "DownlinkResult" });
export const downlinkBody = t.Object(
  {
    ...downlink,
    payload: jsonValue("{data: base64} or {object}"),
    isCommand: t.Boolean({ description: "whether it belongs to a command" }),
    createdBy: t.String(),
    changedAt: isoTime,
  },
  { title: "Downlink" },
);
