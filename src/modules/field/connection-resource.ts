import { ALL_DEVICES_ONLY } from "../api/operation-errors.ts";
import type { ChangeTexts, OperationTexts } from "../api/resource.ts";

/** Common resource properties of the connections of all protocols. */
export const connectionResource = {
  key: "connectionId",
  permissions: { read: "integrations:read", write: "integrations:write" },
  order: { by: "name", ignoresCase: true },
  list: { sort: ["name", "host", "createdAt", "updatedAt"], search: ["name", "host"] },
  // Runners tell by it whether they run the newest version.
  isVersioned: true,
} as const;

interface ConnectionTexts {
  /** Name with its article, such as `an S7 connection`. */
  readonly connection: string;
  /** Plural of the objects that the gateway reads. */
  readonly lists: string;
  /** Immediate effect of creating the connection. */
  readonly begins?: string;
  /** Protocol-specific rules for creating and changing a connection. */
  readonly rules?: {
    readonly create: Pick<OperationTexts, "description" | "errors">;
    readonly update: Pick<OperationTexts, "description" | "errors">;
  };
  readonly examples: { readonly create: object; readonly update: object };
}

const TAKEN = { 409: "Another connection has the name." };

/** Returns the OpenAPI texts of the connection routes. */
export const connectionOperations = ({
  connection,
  lists,
  begins = "connects immediately and keeps the connection open",
  rules = { create: {}, update: {} },
  examples,
}: ConnectionTexts): Record<"list" | "get", OperationTexts> &
  Record<"create" | "update" | "delete", ChangeTexts> => ({
  list: {
    summary: `List ${connection.slice(connection.indexOf(" ") + 1)}s`,
    description: `Lists the ${lists} that the gateway reads, with their states.`,
  },
  create: {
    summary: `Create ${connection}`,
    description:
      `The gateway ${begins}; if there is no response, it retries after 0.5 s to 3 s. ${rules.create.description ?? ""}`.trim(),
    errors: { ...ALL_DEVICES_ONLY, ...TAKEN, ...rules.create.errors },
    example: examples.create,
  },
  get: { summary: `Read ${connection}`, errors: { 404: "The connection is unknown." } },
  update: {
    summary: `Change ${connection}`,
    description: `Every change reconnects. ${rules.update.description ?? ""}`.trim(),
    errors: { ...ALL_DEVICES_ONLY, ...TAKEN, 404: "The connection is unknown.", ...rules.update.errors },
    example: examples.update,
  },
  delete: {
    summary: `Delete ${connection}`,
    description: "Its units are deleted too; the devices and their values stay.",
    errors: { ...ALL_DEVICES_ONLY, 404: "The connection is unknown." },
  },
});
