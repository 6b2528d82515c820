import { ALL_DEVICES_ONLY } from "../api/operation-errors.ts";
import { defineResource } from "../api/resource.ts";
import { codecNameTaken, codecNotFound, codecsLimit } from "./codecs.errors.ts";
import { codecBody, createCodecBody, listedCodecBody, REFUSALS, updateCodecBody } from "./codecs.schemas.ts";
import { codecs } from "./codecs.tables.ts";

/** Max. codecs of a tenant. */
const CODECS_MAX = 200;

/** Library of codecs with which a tenant's integrations decode and encode LoRaWAN frames. */
export const codecResource = defineResource({
  name: "codec",
  table: codecs,
  key: "codecId",
  path: "/api/integrations/codecs",
  tag: "integrations",
  permissions: { read: "integrations:read", write: "integrations:write" },
  order: { by: "name", ignoresCase: true },
  list: { sort: ["name", "createdAt", "updatedAt"], search: ["name", "description"] },
  notFound: codecNotFound,
  unique: [{ column: "name", ignoresCase: true, taken: ({ name }) => codecNameTaken(name) }],
  limit: { max: CODECS_MAX, reached: codecsLimit },
  schemas: { item: codecBody, listed: listedCodecBody, create: createCodecBody, update: updateCodecBody },
  operations: {
    list: { summary: "List codecs, by name", description: "The list does not contain their sources." },
    create: {
      summary: "Add a codec",
      description:
        "Accepts vendors' codecs unchanged, in the formats of ChirpStack (v4 and v3) and The Things Stack (v3 and v2).",
      errors: { ...REFUSALS, 409: `Another codec has the name, or there are already ${CODECS_MAX} codecs.` },
      example: {
        name: "Room sensor",
        source: "function decodeUplink({ bytes }) { return { data: { temperature: bytes[0] / 10 } }; }",
      },
    },
    get: { summary: "Get a codec with its source" },
    update: {
      summary: "Change a codec",
      description: "Integrations run the changed codec from the next message on.",
      errors: REFUSALS,
      example: { description: "Firmware 2 and later" },
    },
    delete: {
      summary: "Delete a codec",
      errors: { ...ALL_DEVICES_ONLY, 409: "An integration uses the codec." },
    },
  },
});

/** Codec of the tenant's library, which converts frames of a kind of device to values and back. */
export type Codec = typeof codecResource.$item;
