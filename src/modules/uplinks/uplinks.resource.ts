import { conflict } from "../../lib/core/domain-error.ts";
import { ALL_DEVICES_ONLY } from "../api/operation-errors.ts";
import { defineResource } from "../api/resource.ts";
import { uplinkNotFound } from "./uplinks.errors.ts";
import { createUplinkBody, updateUplinkBody, uplinkBody } from "./uplinks.schemas.ts";
import { uplinks } from "./uplinks.tables.ts";

/** Example target of an uplink, for the OpenAPI document. */
export const targetExample = {
  type: "INFLUXDB",
  url: "https://influx.example.com:8086",
  organization: "plant",
  bucket: "gateways",
  token: "secret token",
};

/** Max. uplinks of a tenant. */
const UPLINKS_MAX = 20;

/** Uplinks: engines to which the gateway sends stored data. */
export const uplinkResource = defineResource({
  name: "uplink",
  table: uplinks,
  key: "uplinkId",
  path: "/api/uplinks",
  tag: "uplinks",
  permissions: { read: "uplinks:read", write: "uplinks:write" },
  order: { by: "name", ignoresCase: true },
  list: { sort: ["name", "createdAt", "updatedAt"], search: ["name"] },
  notFound: uplinkNotFound,
  limit: { max: UPLINKS_MAX, reached: (limit) => conflict("uplink.limit", { limit }) },
  schemas: { item: uplinkBody, create: createUplinkBody, update: updateUplinkBody },
  operations: {
    list: { summary: "List uplinks, by name", errors: ALL_DEVICES_ONLY },
    create: {
      summary: "Create an uplink",
      description: "The uplink starts sending immediately unless `enabled` is false.",
      errors: {
        ...ALL_DEVICES_ONLY,
        400: "A setting is invalid; the message names it.",
        409: `There are already ${UPLINKS_MAX} uplinks.`,
      },
      example: {
        name: "Central historian",
        target: targetExample,
        start: "BEGINNING",
      },
    },
    get: { summary: "Get an uplink", errors: ALL_DEVICES_ONLY },
    update: {
      summary: "Change an uplink",
      description:
        "The uplink continues where it stopped. While `enabled` is false, it sends nothing; afterwards it sends the data stored in the meantime.",
      errors: ALL_DEVICES_ONLY,
      example: { enabled: false },
    },
    delete: {
      summary: "Delete an uplink",
      description: "Data that was sent stays at the target.",
      errors: ALL_DEVICES_ONLY,
    },
  },
});

export type Uplink = typeof uplinkResource.$item;
