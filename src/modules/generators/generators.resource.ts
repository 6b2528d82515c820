import { conflict } from "../../lib/core/domain-error.ts";
import { defineResource } from "../api/resource.ts";
import { generatorNotFound } from "./generators.errors.ts";
import {
  createGeneratorBody,
  generatorBody,
  RATE,
  updateGeneratorBody,
  WRITERS,
} from "./generators.schemas.ts";
import { generators } from "./generators.tables.ts";

/** Example settings of a generator, for the OpenAPI document. */
export const generatorExample = {
  intervalSeconds: 5,
  metrics: [{ key: "temperature", min: 18, max: 24, pattern: "walk" }],
};

/** Max. generators of a tenant. */
const GENERATORS_MAX = 100;

/** Generators: simulated telemetry for testing dashboards, rules and pipelines before devices exist. */
export const generatorResource = defineResource({
  name: "generator",
  table: generators,
  key: "id",
  path: "/api/rule-chains",
  parameter: "generatorId",
  tag: "generators",
  permissions: { read: "generators:read", write: "generators:write" },
  order: { by: "name" },
  list: { sort: ["name", "status", "createdAt", "updatedAt"], search: ["name", "description"] },
  notFound: generatorNotFound,
  limit: { max: GENERATORS_MAX, reached: (limit) => conflict("generator.limit", { limit }) },
  schemas: { item: generatorBody, create: createGeneratorBody, update: updateGeneratorBody },
  operations: {
    list: { summary: "List generators, by name" },
    create: {
      summary: "Create a generator",
      description: "With the status `active`, it starts sending immediately.",
      errors: {
        ...WRITERS,
        404: "One of `deviceIds` does not exist.",
        409: `${RATE[409]} Or there are already ${GENERATORS_MAX} generators.`,
      },
      example: {
        name: "Room climate",
        type: "data_generator",
        enabled: true,
        status: "active",
        config: generatorExample,
      },
    },
    get: { summary: "Get a generator" },
    update: {
      summary: "Change a generator",
      description:
        "A new config takes effect immediately. `enabled: true` alone starts nothing: `status` decides whether the generator runs.",
      errors: { ...RATE, ...WRITERS },
      example: {
        config: generatorExample,
      },
    },
    delete: {
      summary: "Delete a generator",
      description: "Its devices and their data stay.",
      errors: WRITERS,
    },
  },
});

export type Generator = typeof generatorResource.$item;
