import { t } from "elysia";
import { ALL_DEVICES_ONLY } from "../api/operation-errors.ts";
import { isoTime, jsonValue, nameText, textFields, wholeNumber } from "../api/wire.schemas.ts";
import { scriptLimits } from "../script-sandbox/script-limits.ts";
import { SCRIPT_FUNCTIONS } from "../script-sandbox/script-sandbox.types.ts";

export const SOURCE_BYTES_MAX = scriptLimits.sourceBytesMax;

const source = t.String({
  minLength: 1,
  maxLength: SOURCE_BYTES_MAX,
  description: `JavaScript, ${SOURCE_BYTES_MAX / 1024} KiB at most, that defines at least one of: ${SCRIPT_FUNCTIONS.join(", ")}`,
});
const settable = {
  name: nameText(256),
  description: t.Union([t.String({ maxLength: 2_000 }), t.Null()]),
  source,
};

export const REFUSALS = {
  ...ALL_DEVICES_ONLY,
  400: "The source cannot be run (the message names the line) or defines no function that is called.",
  409: "Another codec has the name.",
  429: "Too many runs are waiting.",
  503: "Scripts cannot be run at the moment.",
};

export const createCodecBody = t.Object(
  {
    name: settable.name,
    description: t.Optional(settable.description),
    source,
  },
  { title: "CreateCodec" },
);
export const updateCodecBody = t.Partial(t.Object(settable), { title: "UpdateCodec" });

const shown = {
  codecId: t.String(),
  name: t.String(),
  description: t.Union([t.String(), t.Null()]),
  functions: t.Array(t.String(), { description: "the functions of the source that are called here" }),
  usedBy: t.Array(t.Object({ integrationId: t.String(), name: t.String() })),
  createdAt: isoTime,
  updatedAt: t.String(),
};
/** Codec without its source: the sources of a list may be 50 MiB. */
export const listedCodecBody = t.Object(shown, { title: "ListedCodec" });
export const codecBody = t.Object({ ...shown, source: t.String() }, { title: "Codec" });

export const importQuery = t.Object({
  name: settable.name,
  description: t.Optional(t.String({ maxLength: 2_000 })),
});

export const trialBody = t.Object(
  {
    source: t.String({ maxLength: SOURCE_BYTES_MAX }),
    direction: t.Optional(
      t.Union([t.Literal("uplink"), t.Literal("downlink")], {
        description: "direction: uplink decodes a frame, downlink encodes `data`; uplink by default",
      }),
    ),
    message: t.Optional(jsonValue("first argument of transform; `{}` by default")),
    metadata: t.Optional(jsonValue("second argument of transform")),
    frame: t.Optional(
      t.String({
        maxLength: 2_000,
        description: "input of decodeUplink: bytes in hexadecimal or base64",
      }),
    ),
    encoding: t.Optional(
      t.Union([t.Literal("hex"), t.Literal("base64")], {
        description: "for frames that could be both; hexadecimal by default",
      }),
    ),
    fPort: t.Optional(t.Integer({ minimum: 0, maximum: 255 })),
    recvTime: t.Optional(t.Number({ minimum: 0, maximum: 8.64e15, description: "epoch ms; now by default" })),
    data: t.Optional(jsonValue("data of a downlink")),
  },
  { title: "CodecPreviewRequest" },
);

export const trialResponse = t.Object(
  {
    result: jsonValue("null if there is none"),
    dropped: t.Boolean({ description: "the script returned null or nothing" }),
    bytes: t.Union([
      t.Object({ hex: t.String(), base64: t.String(), fPort: t.Union([t.Number(), t.Null()]) }),
      t.Null(),
    ]),
    warnings: t.Array(t.String()),
    console: t.Array(t.Object({ level: t.String(), text: t.String() })),
    usedMs: t.Number({ description: "processor time in ms" }),
    error: t.Union([
      t.Object({
        code: t.String({
          description:
            "script.syntax, script.error, script.overrun, script.memory, script.output or script.breaker",
        }),
        params: textFields.params,
        message: t.String(),
        line: t.Union([wholeNumber(), t.Null()]),
      }),
      t.Null(),
    ]),
  },
  { title: "CodecPreview" },
);
