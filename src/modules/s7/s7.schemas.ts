import { t } from "elysia";
import { ADDRESS_CHARACTERS_MAX } from "../../lib/s7/s7-address.ts";
import { nameText, wholeNumber } from "../api/wire.schemas.ts";
import {
  connectionItem,
  deviceField,
  enabledField,
  entryFields,
  entryKey,
  hostField,
  interval,
  mapBody,
  mapProblems,
  portField,
  timeoutField,
  unitHealth,
  unitItem,
} from "../field/field.schemas.ts";
import { TAGS_MAX } from "./tag-checks.ts";

const address = t.String({
  minLength: 1,
  maxLength: ADDRESS_CHARACTERS_MAX,
  description:
    "address of the variable, such as DB1,REAL4 or %DB1.DBD4:REAL; for arrays such as DB1,INT0.10, each element is a value",
});

export const tagBody = t.Object(
  {
    key: entryKey,
    address,
    scale: t.Optional(t.Number({ description: "factor of the raw value; 1 by default" })),
    offset: t.Optional(t.Number({ description: "added after the factor; 0 by default" })),
    ...entryFields,
  },
  { title: "S7Tag", additionalProperties: false },
);

const connectionFields = {
  enabled: enabledField,
  port: portField(102),
  rack: t.Optional(wholeNumber({ minimum: 0, maximum: 7, description: "0 by default" })),
  slot: t.Optional(
    wholeNumber({
      minimum: 0,
      maximum: 31,
      description: "slot of the CPU: 1 for S7-1200 and S7-1500, which is the default; 2 for S7-300",
    }),
  ),
  timeoutMs: timeoutField,
};
const host = hostField("IP address or host name of the controller");

export const createConnectionBody = t.Object(
  { name: nameText(100), host, ...connectionFields },
  { title: "CreateS7Connection" },
);
export const updateConnectionBody = t.Object(
  { name: t.Optional(nameText(100)), host: t.Optional(host), ...connectionFields },
  { title: "UpdateS7Connection" },
);

const unitFields = {
  intervalMs: t.Optional(interval("time between two reads; 1,000 by default")),
  tags: t.Optional(t.Array(tagBody, { maxItems: TAGS_MAX })),
};
export const createUnitBody = t.Object({ deviceId: deviceField, ...unitFields }, { title: "CreateS7Unit" });
export const updateUnitBody = t.Object(unitFields, { title: "UpdateS7Unit" });

export const connectionBody = connectionItem("S7Connection", {
  rack: t.Integer(),
  slot: t.Integer(),
});

export const unitBody = unitItem("S7Unit", {
  s7UnitId: t.String(),
  tags: t.Array(tagBody),
  health: unitHealth("S7UnitHealth", {
    refused: t.Object({
      key: t.String(),
      returnCode: t.Integer({
        description: "3: access denied, 5: beyond the end of the block, 10: no such block, 0: unknown",
      }),
    }),
    description:
      "tags that the controller refuses to read; they are tried again after ten minutes, or when the connection is back",
    notes: "tags with values that are not a number or not a time, which are not stored",
  }),
});

export const readBody = t.Object({ address }, { title: "ReadS7Address" });
export const readResponseBody = t.Object(
  {
    address: t.String(),
    values: t.Array(t.Union([t.Number(), t.String(), t.Boolean(), t.Null()]), {
      description: "value, or the elements of an array; null for one that is not a number or not a time",
    }),
  },
  { title: "S7Values" },
);

export const tagMapBody = mapBody(
  "S7TagMapCsv",
  "a line with the names of the columns, then a line for each tag; the columns have the names of the fields of a tag",
);
export const tagMapResponseBody = t.Object(
  { tags: t.Array(tagBody), problems: mapProblems("invalid lines") },
  { title: "S7TagMap" },
);
export const templateBody = t.Object(
  {
    templateId: t.String(),
    name: t.String(),
    vendor: t.String(),
    kind: t.String(),
    source: t.String({ description: "document that describes the addresses" }),
    tags: t.Array(tagBody),
  },
  { title: "S7Template" },
);
